import { route } from "@/lib/server/entry/route";
import { signIn, signOut } from "@/lib/server/http/sessions";

/** The printed URL `/?token=…` ends here (rewritten in next.config.ts). */
export const GET = route({ access: "public" }, ({ deps, request }) => signIn(deps, request));

export const DELETE = route({}, ({ deps, request }) => signOut(deps, request));
