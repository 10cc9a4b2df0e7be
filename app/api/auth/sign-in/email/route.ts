import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { SignInBody } from "@/lib/server/contract/accounts";
import { json, route } from "@/lib/server/entry/route";

export const POST = route({ access: "sign-in", body: SignInBody }, async ({ deps, body, request }) => {
  const { account, headers } = await requireAccounts(deps).accounts.signIn(request, body);
  return json(account, 200, headers);
});
