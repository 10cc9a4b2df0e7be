import { requireAccounts } from "@/lib/server/accounts/require-accounts";
import { SharedLimitsBody } from "@/lib/server/contract/limits";
import { route } from "@/lib/server/entry/route";

export const GET = route({ access: "admin" }, async ({ deps }) => requireAccounts(deps).limits.shared);

export const PATCH = route(
  {
    access: "admin",
    body: SharedLimitsBody,
    audit: ({ body }) => ({ action: "people.limits_changed", on: Object.keys(body).join(", ") }),
  },
  async ({ deps, body }) => {
    const changed = await requireAccounts(deps).limits.changeShared(body);
    // What no longer has to be kept goes now.
    if (body.retention) void deps.retention.wake();
    return changed;
  },
);
