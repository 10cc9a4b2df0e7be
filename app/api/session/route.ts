import { json, route } from "@/lib/server/entry/route";
import { signIn, signOut } from "@/lib/server/http/sessions";

/** The printed URL `/?token=…` ends here (rewritten in next.config.ts). */
export const GET = route({ access: "public" }, ({ deps, request }) => signIn(deps, request));

export const DELETE = route(
  { scope: "none", audit: () => ({ action: "signIn.ended" }) },
  async ({ deps, person, request }) =>
    deps.accounts ? json({}, 200, await deps.accounts.signOut(request, person)) : signOut(deps, request),
);
