import { withdraw } from "@/lib/server/accounts/invitations";
import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { route } from "@/lib/server/entry/route";

export const DELETE = route(
  { access: "admin", audit: ({ params }) => ({ action: "people.invitation_withdrawn", on: params.id }) },
  async ({ deps, params }) => withdraw(requireAccounts(deps), params.id),
);
