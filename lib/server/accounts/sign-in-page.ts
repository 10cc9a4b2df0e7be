import { type OidcFailure, oidcFailures, type Role } from "@/lib/protocol/accounts";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { Env } from "@/lib/server/env";
import { hash } from "@/lib/server/secrets";

/** What the page shows to somebody who is not signed in. */
export type SignInForm =
  | { kind: "sign_in" }
  /** This browser has opened the printed address, and there is no admin yet. */
  | { kind: "first" }
  | { kind: "join"; invitation: string; from: string; role: Role; email: string | null; expiresAt: string }
  | { kind: "reset"; token: string }
  /** The invitation has been used, has expired or is none. */
  | { kind: "over" };

export async function signInForm(
  { store }: Pick<BaseDeps, "store">,
  {
    invitation,
    reset,
    mayFound,
  }: { invitation: string | undefined; reset: string | undefined; mayFound: boolean },
): Promise<SignInForm> {
  if (reset !== undefined) return { kind: "reset", token: reset };
  if (invitation === undefined)
    return { kind: mayFound && !(await store.accounts.hasFounder()) ? "first" : "sign_in" };
  const row = await store.invitations.byToken(hash(invitation));
  if (!row || row.usedAt !== null || row.expiresAt <= Date.now()) return { kind: "over" };
  const { from, role, email, expiresAt } = row;
  return { kind: "join", invitation, from, role, email, expiresAt: new Date(expiresAt).toISOString() };
}

/** What the button that leads to the identity provider says and does. */
export interface ProviderButton {
  name: string;
  href: string;
}

/** Undefined without a provider. Where somebody goes afterwards is `next`. */
export function providerButton(
  { OIDC_ISSUER, OIDC_NAME }: Pick<Env, "OIDC_ISSUER" | "OIDC_NAME">,
  { next, invitation }: { next: string; invitation: string | undefined },
): ProviderButton | undefined {
  if (OIDC_ISSUER === undefined) return undefined;
  const query = new URLSearchParams();
  if (next !== "/") query.set("next", next);
  if (invitation !== undefined) query.set("invitation", invitation);
  const search = query.size > 0 ? `?${query}` : "";
  return { name: OIDC_NAME ?? new URL(OIDC_ISSUER).host, href: `/api/auth/oidc${search}` };
}

/** Of an address that anybody may have written. */
export const toOidcFailure = (failed: string | undefined): OidcFailure | undefined =>
  oidcFailures.find((one) => one === failed);

/** Where somebody goes who has signed in: to a page of ours, and to the first one for anything else. */
export function ownPath(next: string | undefined): string {
  const ours = "http://ours.invalid";
  const url = next?.startsWith("/") ? URL.parse(next, ours) : null;
  // `/.//x` is read as `//x`, which is a host.
  if (!url || url.origin !== ours || /^\/(\/|(api|sign-in)(\/|$))/.test(url.pathname)) return "/";
  return `${url.pathname}${url.search}`;
}
