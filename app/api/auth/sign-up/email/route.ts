import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { notingSignIn } from "@/lib/server/audit/sign-ins";
import { SignUpBody } from "@/lib/server/contract/accounts";
import { json, route } from "@/lib/server/entry/route";
import { hasLaunchToken } from "@/lib/server/http/guard";
import { forgetOpener } from "@/lib/server/http/sessions";

export const POST = route({ access: "sign-in", body: SignUpBody }, async ({ deps, body, request }) => {
  const { accounts } = requireAccounts(deps);
  const mayFound = await hasLaunchToken(request.headers, deps);
  const { account, headers } = await notingSignIn(accounts.audit, request, body.email, {
    work: () => accounts.signUps.signUp(request, body, mayFound),
    did: (joined) => ({ action: "signIn.joined", on: joined.account.role }),
  });
  const former = body.invitation === undefined ? await forgetOpener(deps, request) : undefined;
  if (former) headers.append("set-cookie", former);
  return json(account, 201, headers);
});
