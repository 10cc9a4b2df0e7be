import type { z } from "zod";
import type { PersonItem } from "@/lib/protocol/accounts";
import { changePerson, deletePerson } from "@/lib/server/accounts/people";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import type { Did } from "@/lib/server/audit/audit-log";
import { PersonPatch } from "@/lib/server/contract/accounts";
import { route } from "@/lib/server/entry/route";

export const PATCH = route(
  { access: "admin", scope: "none", body: PersonPatch, audit: toChange },
  async ({ deps, params, body }) => changePerson(requireAccounts(deps), params.id, body),
);

export const DELETE = route({ access: "admin", audit: toDeletion }, async ({ deps, params, person }) =>
  deletePerson(requireAccounts(deps), person, params.id),
);

/** With what it has become, as the request may name half of it. */
function toChange({ body }: { body: z.output<typeof PersonPatch> }, answer: unknown): Did {
  const { email, role, disabled } = answer as PersonItem;
  if (body.role === undefined && body.disabled === undefined)
    return { action: "people.limits_changed", on: email };
  const now = [email, disabled ? "disabled" : role, ...(body.limits ? ["limits"] : [])];
  return { action: "people.changed", on: now.join(", ") };
}

function toDeletion(_: unknown, answer: unknown): Did {
  return { action: "people.deleted", on: (answer as { email: string }).email };
}
