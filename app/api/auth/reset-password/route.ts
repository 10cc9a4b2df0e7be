import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { NewPasswordBody } from "@/lib/server/contract/accounts";
import { route } from "@/lib/server/entry/route";

export const POST = route({ access: "sign-in", body: NewPasswordBody }, async ({ deps, body, request }) => {
  const { accounts } = requireAccounts(deps);
  const who = await accounts.resetPassword(body);
  await accounts.audit.note(who, { action: "signIn.password_reset" }, request.headers);
});
