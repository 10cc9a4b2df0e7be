import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { notingSignIn } from "@/lib/server/audit/sign-ins";
import { PasskeySignInBody } from "@/lib/server/contract/passkeys";
import { json, route } from "@/lib/server/entry/route";

export const POST = route({ access: "sign-in", body: PasskeySignInBody }, async ({ deps, body, request }) => {
  const { accounts } = requireAccounts(deps);
  const { account, headers } = await notingSignIn(
    accounts.audit,
    request,
    await accounts.passkeys.ownerOf(body),
    {
      work: () => accounts.signInByPasskey(request, body),
      did: ({ passkey }) => ({ action: "signIn.began_by_passkey", on: passkey }),
    },
  );
  return json(account, 200, headers);
});
