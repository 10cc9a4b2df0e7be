import * as oidc from "openid-client";
import type { z } from "zod";
import type { WantedGrant } from "@/lib/mcp/oauth/login-setup";
import { ProviderClaims } from "@/lib/server/contract/accounts";
import { isSafeAddress } from "@/lib/server/oidc-env";
import { boundedFetch } from "./bounded-fetch";
import { SignInFailure } from "./sign-in-failure";

/** What ties an answer of the provider to the request that it answers. */
export interface SignInChecks {
  state: string;
  nonce: string;
  /** Of PKCE. */
  verifier: string;
}

/** Somebody whom the provider has signed in. */
export interface Vouched {
  issuer: string;
  /** Who it is there, whatever their address. */
  subject: string;
  claims: z.output<typeof ProviderClaims>;
  tokens: ProviderTokens;
}

/** By which the provider can be asked again for whom it has signed in. */
export interface ProviderTokens {
  subject: string;
  idToken: string;
  /** End of the ID token, epoch ms. */
  until: number;
  /** Where the provider gives one. */
  refreshToken?: string | undefined;
}

export interface ProviderAccess {
  issuer: string;
  clientId: string;
  clientSecret: string;
  redirectUri: string;
  /** For each answer of the provider; 10 unless told. */
  timeoutSeconds?: number | undefined;
}

/** Where its endpoints are is asked for again after that. */
const knownForMs = 3_600_000;
/** Answers of browsers that are looked at at once: each asks the provider. */
const maxAtOnce = 50;

/** RFC 8693, and the token that it is asked for (draft-ietf-oauth-identity-assertion-authz-grant). */
const tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
const idJag = "urn:ietf:params:oauth:token-type:id-jag";
const idTokenType = "urn:ietf:params:oauth:token-type:id_token";

/** The operator's OpenID provider: authorization code with PKCE, state and nonce; what it says is checked by the library. */
export class IdentityProvider {
  private known: { configuration: Promise<oidc.Configuration>; until: number } | undefined;
  private running = 0;

  constructor(private readonly access: ProviderAccess) {}

  /** Where the browser goes to sign in; `isLasting`: so that the provider can be asked when the person is not there. */
  async begin({ state, nonce, verifier }: SignInChecks, isLasting: boolean): Promise<URL> {
    const url = await this.asking(async (configuration) =>
      oidc.buildAuthorizationUrl(configuration, {
        ...{ redirect_uri: this.access.redirectUri, scope: scopeOf(configuration, isLasting), state, nonce },
        code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
        code_challenge_method: "S256",
      }),
    );
    if (!isSafeAddress(url)) throw new SignInFailure("refused", { reason: "its sign-in page is not https" });
    return url;
  }

  /** `query`: with which the provider has led the browser back. */
  finish(query: string, { state, nonce, verifier }: SignInChecks): Promise<Vouched> {
    const answer = new URL(this.access.redirectUri);
    answer.search = query;
    return this.asking(async (configuration) => {
      const tokens = await oidc.authorizationCodeGrant(configuration, answer, {
        ...{ expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true },
      });
      const claims = tokens.claims();
      if (!claims) throw new SignInFailure("refused", { reason: "there is no ID token" });
      // Both from one place: a proof is of the address beside it.
      const isWhole = claims.email !== undefined && claims.email_verified !== undefined;
      const told =
        isWhole || !configuration.serverMetadata().userinfo_endpoint
          ? claims
          : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
      return {
        issuer: claims.iss,
        subject: claims.sub,
        claims: ProviderClaims.parse(told),
        tokens: readTokens(tokens),
      };
    });
  }

  /** Both tokens anew. */
  refresh({ subject, refreshToken = "" }: ProviderTokens): Promise<ProviderTokens> {
    return this.asking(async (configuration) => {
      const tokens = await oidc.refreshTokenGrant(configuration, refreshToken);
      if (tokens.claims()?.sub !== subject)
        throw new SignInFailure("refused", { reason: "a refresh gave no ID token of the same person" });
      return { refreshToken, ...readTokens(tokens) };
    });
  }

  /** An ID-JAG: what the provider says of the owner of the ID token to the authorization server of an MCP server. */
  exchange({ idToken, audience, resource, scope }: { idToken: string } & WantedGrant): Promise<string> {
    return this.asking(async (configuration) => {
      const granted = await oidc.genericGrantRequest(configuration, tokenExchange, {
        ...{ requested_token_type: idJag, subject_token: idToken, subject_token_type: idTokenType },
        ...{ audience, resource, ...(scope && { scope }) },
      });
      if (granted.issued_token_type !== idJag)
        throw new SignInFailure("refused", { reason: "it gave another token than the one it was asked for" });
      return granted.access_token;
    });
  }

  private async asking<Result>(
    work: (configuration: oidc.Configuration) => Promise<Result>,
  ): Promise<Result> {
    if (this.running >= maxAtOnce) throw new SignInFailure("unavailable", { reason: "too many at once" });
    this.running++;
    try {
      return await work(await this.configuration());
    } catch (cause) {
      throw toFailure(cause);
    } finally {
      this.running--;
    }
  }

  private configuration(): Promise<oidc.Configuration> {
    if (this.known && this.known.until > Date.now()) return this.known.configuration;
    const configuration = this.discover();
    this.known = { configuration, until: Date.now() + knownForMs };
    configuration.catch(() => (this.known = undefined));
    return configuration;
  }

  private discover(): Promise<oidc.Configuration> {
    const { issuer, clientId, clientSecret, timeoutSeconds = 10 } = this.access;
    const isHere = new URL(issuer).protocol === "http:";
    return oidc.discovery(new URL(issuer), clientId, undefined, authenticateBy(clientSecret), {
      timeout: timeoutSeconds,
      [oidc.customFetch]: boundedFetch,
      // By itself the library trusts the connection that an ID token came by, and does not look at its signature.
      execute: [oidc.enableNonRepudiationChecks, ...(isHere ? [oidc.allowInsecureRequests] : [])],
    });
  }
}

function scopeOf(configuration: oidc.Configuration, isLasting: boolean): string {
  const { scopes_supported: known } = configuration.serverMetadata();
  return isLasting && known?.includes("offline_access")
    ? "openid email profile offline_access"
    : "openid email profile";
}

function readTokens(tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers): ProviderTokens {
  const { id_token: idToken = "", refresh_token: refreshToken } = tokens;
  const { sub: subject = "", exp = 0 } = tokens.claims() ?? {};
  return { subject, idToken, until: exp * 1000, ...(refreshToken !== undefined && { refreshToken }) };
}

/** By header, unless the provider takes the secret in the body alone. */
const authenticateBy = (secret: string): oidc.ClientAuth => {
  const [basic, post] = [oidc.ClientSecretBasic(secret), oidc.ClientSecretPost(secret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const isPost = methods.includes("client_secret_post") && !methods.includes("client_secret_basic");
    return (isPost ? post : basic)(server, ...rest);
  };
};

function toFailure(cause: unknown): SignInFailure {
  // The library wraps what its `fetch` throws.
  for (const one of [cause, (cause as Error).cause]) if (one instanceof SignInFailure) return one;
  const { message, code, error } = cause as Error & { code?: unknown; error?: unknown };
  // What else such an error holds are the answer and its tokens.
  const reason = { reason: message, code, error: String(error ?? "").slice(0, 100) };
  if (cause instanceof oidc.AuthorizationResponseError) {
    if (cause.error === "access_denied") return new SignInFailure("cancelled");
    if (cause.error === "server_error" || cause.error === "temporarily_unavailable")
      return new SignInFailure("unavailable", reason);
  }
  return new SignInFailure("refused", reason);
}
