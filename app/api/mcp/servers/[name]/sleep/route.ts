import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { sleepServer } from "@/lib/server/servers/servers";

export const POST = route(
  {
    body: EmptyBody,
    access: "admin",
    audit: ({ params }) => ({ action: "setup.server_slept", on: params.name }),
  },
  async ({ deps, params }) => sleepServer(deps, params.name),
);
