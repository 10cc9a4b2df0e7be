import type { PersonItem } from "@/lib/protocol/accounts";
import { changePerson } from "@/lib/server/accounts/people";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import type { Did } from "@/lib/server/audit/audit-log";
import { PersonPatch } from "@/lib/server/contract/accounts";
import { route } from "@/lib/server/entry/route";

export const PATCH = route(
  { access: "admin", body: PersonPatch, audit: toChange },
  async ({ deps, params, body }) => changePerson(requireAccounts(deps), params.id, body),
);

/** With what it has become, as the request may name half of it. */
function toChange(_: unknown, answer: unknown): Did {
  const { email, role, disabled } = answer as PersonItem;
  return { action: "people.changed", on: `${email}, ${disabled ? "disabled" : role}` };
}
