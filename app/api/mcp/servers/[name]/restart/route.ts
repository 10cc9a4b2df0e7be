import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { restartServer } from "@/lib/server/servers/servers";

export const POST = route(
  {
    body: EmptyBody,
    access: "admin",
    audit: ({ params }) => ({ action: "setup.server_restarted", on: params.name }),
  },
  async ({ deps, params }) => restartServer(deps, params.name),
);
