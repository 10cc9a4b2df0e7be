import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { EmptyBody } from "@/lib/server/contract/fields";
import { json, route } from "@/lib/server/entry/route";

export const POST = route({ access: "sign-in", body: EmptyBody }, async ({ deps }) => {
  const { options, headers } = await requireAccounts(deps).accounts.passkeys.beginSignIn();
  return json(options, 200, headers);
});
