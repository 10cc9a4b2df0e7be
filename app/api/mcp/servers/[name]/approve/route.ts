import { ApproveBody } from "@/lib/server/mcp-schemas";
import { route } from "@/lib/server/route";
import { approveServer } from "@/lib/server/servers";

export const POST = route({ body: ApproveBody }, async ({ deps, params, body }) =>
  approveServer(deps, params.name, body),
);
