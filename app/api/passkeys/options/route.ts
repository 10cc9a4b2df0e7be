import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { EmptyBody } from "@/lib/server/contract/fields";
import { json, route } from "@/lib/server/entry/route";

export const POST = route({ scope: "none", body: EmptyBody }, async ({ deps, person, request }) => {
  const { options, headers } = await requireAccounts(deps).accounts.passkeys.begin(request, person);
  return json(options, 200, headers);
});
