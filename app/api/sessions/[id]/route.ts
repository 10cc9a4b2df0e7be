import { endSession } from "@/lib/server/accounts/people";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { route } from "@/lib/server/entry/route";

export const DELETE = route(
  { scope: "none", audit: () => ({ action: "signIn.ended_one" }) },
  async ({ deps, person, params }) => endSession(requireAccounts(deps), person, params.id),
);
