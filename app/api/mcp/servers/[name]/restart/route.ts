import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { serverForPerson } from "@/lib/server/servers/member-view";
import { checkOwn, restartServer } from "@/lib/server/servers/servers";

export const POST = route(
  {
    body: EmptyBody,
    audit: ({ params }) => ({ action: "setup.server_restarted", on: params.name }),
  },
  async ({ deps, params: { name }, person }) => {
    checkOwn(deps, person, name);
    return serverForPerson(person, await restartServer(deps, name));
  },
);
