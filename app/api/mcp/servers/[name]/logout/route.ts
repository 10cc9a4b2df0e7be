import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { logout } from "@/lib/server/servers/logins";

export const POST = route(
  {
    body: EmptyBody,
    access: "admin",
    audit: ({ params }) => ({ action: "setup.server_signed_out", on: params.name }),
  },
  async ({ deps, params }) => logout(deps, params.name),
);
