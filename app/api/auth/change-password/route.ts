import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { ChangePasswordBody } from "@/lib/server/contract/accounts";
import { json, route } from "@/lib/server/entry/route";

export const POST = route(
  { scope: "none", body: ChangePasswordBody, audit: () => ({ action: "signIn.password_changed" }) },
  async ({ deps, person, body, request }) =>
    json({}, 200, await requireAccounts(deps).accounts.changePassword(request, person, body)),
);
