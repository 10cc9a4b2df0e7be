import { route } from "@/lib/server/entry/route";
import { EmptyBody } from "@/lib/server/http/schemas";
import { logout } from "@/lib/server/servers/logins";

export const POST = route({ body: EmptyBody }, async ({ deps, params }) => logout(deps, params.name));
