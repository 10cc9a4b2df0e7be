import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { logout } from "@/lib/server/servers/logins";
import { serverForPerson } from "@/lib/server/servers/member-view";
import { checkOwn } from "@/lib/server/servers/servers";

export const POST = route(
  {
    body: EmptyBody,
    audit: ({ params }) => ({ action: "setup.server_signed_out", on: params.name }),
  },
  async ({ deps, person, params }) => {
    checkOwn(deps, person, params.name);
    return serverForPerson(person, await logout(deps, params.name));
  },
);
