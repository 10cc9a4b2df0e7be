import { notFound } from "@/lib/server/http/errors";
import type { Accounts } from "./accounts";
import type { OidcSignIn } from "./oidc-sign-in";

/** What a use case of accounts takes; 404 as for an unknown route with `AUTH=local`, which has none. */
export function requireAccounts<Deps extends { accounts: Accounts | undefined }>(
  deps: Deps,
): Deps & { accounts: Accounts } {
  const { accounts } = deps;
  if (!accounts) throw notFound("route");
  return { ...deps, accounts };
}

/** 404 as for an unknown route where the operator has named no identity provider. */
export function requireOidc(deps: { accounts: Accounts | undefined }): OidcSignIn {
  const { oidc } = requireAccounts(deps).accounts;
  if (!oidc) throw notFound("route");
  return oidc;
}
