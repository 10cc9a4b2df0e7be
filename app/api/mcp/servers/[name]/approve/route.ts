import { route } from "@/lib/server/route";
import { ApproveBody } from "@/lib/server/schemas";
import { approveServer } from "@/lib/server/servers";

export const POST = route({ body: ApproveBody }, async ({ deps, params, body }) =>
  approveServer(deps, params.name, body.hash),
);
