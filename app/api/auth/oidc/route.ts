import { requireOidc } from "@/lib/server/accounts/require-accounts";
import { route } from "@/lib/server/entry/route";

export const GET = route({ access: "sign-in", navigation: true }, async ({ deps, request }) =>
  requireOidc(deps).begin(request),
);
