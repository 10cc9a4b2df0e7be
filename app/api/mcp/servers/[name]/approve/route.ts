import { route } from "@/lib/server/entry/route";
import { ApproveBody } from "@/lib/server/http/mcp-schemas";
import { approveServer } from "@/lib/server/servers/servers";

export const POST = route({ body: ApproveBody }, async ({ deps, params, body }) =>
  approveServer(deps, params.name, body),
);
