import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { notingSignIn } from "@/lib/server/audit/sign-ins";
import { SignInBody } from "@/lib/server/contract/accounts";
import { json, route } from "@/lib/server/entry/route";

export const POST = route({ access: "sign-in", body: SignInBody }, async ({ deps, body, request }) => {
  const { accounts } = requireAccounts(deps);
  const { account, headers } = await notingSignIn(accounts.audit, request, body.email, {
    work: () => accounts.signIn(request, body),
    did: () => ({ action: "signIn.began" }),
  });
  return json(account, 200, headers);
});
