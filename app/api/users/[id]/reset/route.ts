import { resetLink } from "@/lib/server/accounts/people";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { EmptyBody } from "@/lib/server/contract/fields";
import { json, route } from "@/lib/server/entry/route";

export const POST = route(
  {
    scope: "none",
    access: "admin",
    body: EmptyBody,
    audit: async ({ deps, params }) => ({
      action: "people.reset_link_made",
      on: (await deps.store.accounts.person(params.id))?.email,
    }),
  },
  async ({ deps, params }) => json(await resetLink(requireAccounts(deps), params.id), 201),
);
