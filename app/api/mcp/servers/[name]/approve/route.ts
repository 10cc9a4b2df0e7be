import { ApproveBody } from "@/lib/server/contract/servers";
import { route } from "@/lib/server/entry/route";
import { approveServer } from "@/lib/server/servers/servers";

export const POST = route(
  {
    body: ApproveBody,
    access: "admin",
    audit: ({ params }) => ({ action: "setup.server_approved", on: params.name }),
  },
  async ({ deps, params, body }) => approveServer(deps, params.name, body),
);
