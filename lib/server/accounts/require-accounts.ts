import { notFound } from "@/lib/server/http/errors";
import type { Accounts } from "./accounts";

/** What a use case of accounts takes; 404 as for an unknown route with `AUTH=local`, which has none. */
export function requireAccounts<Deps extends { accounts: Accounts | undefined }>(
  deps: Deps,
): Deps & { accounts: Accounts } {
  const { accounts } = deps;
  if (!accounts) throw notFound("route");
  return { ...deps, accounts };
}
