import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { route } from "@/lib/server/entry/route";

export const DELETE = route(
  {
    scope: "none",
    audit: (_context, removed) => ({
      action: "signIn.passkey_removed",
      on: (removed as { name: string }).name,
    }),
  },
  async ({ deps, person, params }) => ({
    name: await requireAccounts(deps).accounts.passkeys.remove(person, params.id),
  }),
);
