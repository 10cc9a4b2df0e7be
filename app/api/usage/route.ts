import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { everybodysUsage, usageOf } from "@/lib/server/accounts/usage";
import { UseQuery } from "@/lib/server/contract/limits";
import { route } from "@/lib/server/entry/route";
import { readQuery } from "@/lib/server/http/body";
import { checkAdmin } from "@/lib/server/http/guard";

/** One's own; what everybody has used is for admins, and no contents. */
export const GET = route({}, async ({ deps, person, userId, request }) => {
  const { everybody, days } = readQuery(request, UseQuery);
  if (!everybody) return usageOf(deps, userId);
  checkAdmin(person);
  return everybodysUsage(requireAccounts(deps), days);
});
