import { listSessions } from "@/lib/server/accounts/people";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { route } from "@/lib/server/entry/route";

export const GET = route({ scope: "none" }, async ({ deps, person }) =>
  listSessions(requireAccounts(deps), person),
);

/** All but the one that asks. */
export const DELETE = route(
  { scope: "none", audit: () => ({ action: "signIn.ended_others" }) },
  async ({ deps, person }) => requireAccounts(deps).accounts.endSessions(person.id, person.sessionId),
);
