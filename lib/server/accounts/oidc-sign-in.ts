import { randomNonce, randomPKCECodeVerifier, randomState } from "openid-client";
import type { Vouching } from "@/lib/mcp/oauth/login-setup";
import type { OidcFailure } from "@/lib/protocol/accounts";
import { publicUrl } from "@/lib/server/env";
import type { Admission } from "./admit-vouched";
import type { AuthDeps } from "./auth";
import { IdentityProvider, type Vouched } from "./identity-provider";
import { PendingSignIns } from "./pending-sign-in";
import { SignInFailure } from "./sign-in-failure";
import { ownPath } from "./sign-in-page";
import { VouchedTokens } from "./vouched-tokens";

/** What somebody whom the provider vouches for comes in by; gives the cookies of their session. */
type Enter = (
  request: Request,
  vouched: Vouched,
  admission: Admission,
) => Promise<{ userId: string; headers: Headers; founded: boolean }>;

/** MCP servers that take the word of the provider. */
export interface VouchingDeps {
  /** Whether there are any: else no token is kept. */
  takesVouching(): boolean;
  /** This person has signed in with it. */
  onVouched(userId: string): Promise<void>;
}

/** Longer than any page of ours, and short enough for a cookie. */
const maxPath = 1_000;
const maxToken = 200;

/** Signing in with the identity provider: a browser goes there and comes back. What fails is told by the sign-in page. */
export class OidcSignIn {
  private readonly provider: IdentityProvider;
  private readonly pending: PendingSignIns;
  private readonly tokens: VouchedTokens;

  private constructor(
    private readonly deps: AuthDeps & VouchingDeps,
    access: { issuer: string; clientId: string; clientSecret: string },
    private readonly enter: Enter,
  ) {
    const redirectUri = `${publicUrl(deps.env)}/api/auth/oidc/callback`;
    this.provider = new IdentityProvider({ ...access, redirectUri });
    this.pending = new PendingSignIns({ ...deps, bus: deps.store.bus });
    this.tokens = new VouchedTokens(deps, this.provider);
  }

  /** Undefined without a provider. */
  static open(deps: AuthDeps & VouchingDeps, enter: Enter): OidcSignIn | undefined {
    const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = deps.env;
    if (!issuer || !clientId || !clientSecret) return undefined;
    return new OidcSignIn(deps, { issuer, clientId, clientSecret }, enter);
  }

  /** What the provider says of this person to MCP servers. */
  vouchingOf(userId: string): Vouching {
    const base = publicUrl(this.deps.env);
    return {
      vouch: (wanted) => this.tokens.vouch(userId, wanted),
      signInPage: (returnTo) => new URL(`/api/auth/oidc?${new URLSearchParams({ next: returnTo })}`, base),
    };
  }

  /** Leads to the provider. */
  async begin(request: Request): Promise<Response> {
    const { searchParams, pathname, search } = new URL(request.url);
    // The provider leads back to this address alone, where a cookie of another name of ours would be missing.
    const ours = new URL(publicUrl(this.deps.env));
    if (request.headers.get("host")?.toLowerCase() !== ours.host)
      return redirect(`${ours.origin}${pathname}${search}`);
    const next = ownPath(searchParams.get("next")?.slice(0, maxPath));
    const invitation = searchParams.get("invitation")?.slice(0, maxToken);
    const checks = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier() };
    try {
      const url = await this.provider.begin(checks, this.deps.takesVouching());
      return redirect(url.href, this.pending.begin({ ...checks, next, invitation }));
    } catch (cause) {
      return this.failed(cause, { next, invitation });
    }
  }

  /** The provider has led a browser back. `founded`: it is the first admin who has come. */
  async finish(request: Request, mayFound: boolean): Promise<{ response: Response; founded: boolean }> {
    const { search, searchParams } = new URL(request.url);
    const pending = this.pending.take(request.headers, searchParams.get("state"));
    try {
      if (!pending) throw new SignInFailure("state");
      const vouched = await this.provider.finish(search, pending);
      const { invitation, next } = pending;
      const { userId, headers, founded } = await this.enter(request, vouched, { invitation, mayFound });
      if (this.deps.takesVouching()) {
        await this.tokens.keep(userId, vouched.tokens);
        await this.deps.onVouched(userId);
      }
      const response = redirect(next, this.pending.forget(), ...headers.getSetCookie());
      return { response, founded };
    } catch (cause) {
      return { response: this.failed(cause, pending), founded: false };
    }
  }

  private failed(cause: unknown, begun?: { next: string; invitation?: string | undefined }): Response {
    const { log } = this.deps;
    const isKnown = cause instanceof SignInFailure;
    if (!isKnown) log.error({ err: cause }, "a sign-in with the identity provider failed");
    else if (isToLog.has(cause.code)) log.warn(cause.reason, `identity provider: ${cause.code}`);
    const query = new URLSearchParams({ failed: isKnown ? cause.code : "internal" });
    if (begun && begun.next !== "/") query.set("next", begun.next);
    if (begun?.invitation !== undefined) query.set("invitation", begun.invitation);
    return redirect(`/sign-in?${query}`, this.pending.forget());
  }
}

/** What an operator can do something about. */
const isToLog: ReadonlySet<OidcFailure> = new Set(["unavailable", "refused"]);

function redirect(location: string, ...cookies: string[]): Response {
  const headers = new Headers({
    Location: location,
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
  });
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
  return new Response(null, { status: 303, headers });
}
