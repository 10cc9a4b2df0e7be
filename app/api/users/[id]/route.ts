import { changePerson } from "@/lib/server/accounts/people";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { PersonPatch } from "@/lib/server/contract/accounts";
import { route } from "@/lib/server/entry/route";

export const PATCH = route({ access: "admin", body: PersonPatch }, async ({ deps, params, body }) =>
  changePerson(requireAccounts(deps), params.id, body),
);
