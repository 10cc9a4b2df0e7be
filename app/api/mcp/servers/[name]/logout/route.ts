import { logout } from "@/lib/server/logins";
import { route } from "@/lib/server/route";
import { EmptyBody } from "@/lib/server/schemas";

export const POST = route({ body: EmptyBody }, async ({ deps, params }) => logout(deps, params.name));
