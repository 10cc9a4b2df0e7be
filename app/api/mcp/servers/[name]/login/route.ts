import { EmptyBody } from "@/lib/server/contract/fields";
import { route } from "@/lib/server/entry/route";
import { beginLogin } from "@/lib/server/servers/logins";

export const POST = route({ body: EmptyBody }, async ({ deps, params, request }) =>
  beginLogin(deps, params.name, request),
);
