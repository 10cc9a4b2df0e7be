import {
  type AddClientAuthentication,
  createPrivateKeyJwtAuth,
  DpopSession,
  type OAuthClientInformationContext,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
} from "@modelcontextprotocol/client";
import { dpopKeyPair } from "./dpop-key";
import { askPerson, LoginNeededError } from "./login-needed-error";
import { clientMetadata, isMachine, isVouched, type LoginSetup, type OAuthConfig } from "./login-setup";
import type { LoginStore, SavedLogin } from "./login-store";

/** A sign-in that a person has asked for; the flow sets `authorizationUrl`, the address to open in the browser. */
export interface Interaction {
  state: string;
  redirectUrl: string;
  scope?: string | undefined;
  /** A page of this application that the person came from. */
  returnTo?: string;
  /** Known when the authorization response has arrived. */
  codeVerifier?: string;
  authorizationUrl?: URL;
}

/**
 * Our side of the SDK's OAuth flow for one server. Without an interaction it uses and renews existing tokens only: where
 * a person is needed it throws `LoginNeededError`, before anything is registered or sent.
 */
export class LoginProvider implements OAuthClientProvider {
  addClientAuthentication?: AddClientAuthentication;
  clientMetadataUrl?: string;
  private dpopSession: Promise<DpopSession> | undefined;
  /** What this flow has found out. */
  private readonly found: { issuer?: string; resource?: string } = {};

  constructor(
    private readonly store: LoginStore,
    private readonly setup: LoginSetup,
    private readonly config: OAuthConfig,
    private readonly interaction?: Interaction,
  ) {
    const metadataUrl = config.clientMetadataUrl ?? setup.clientMetadataUrl;
    if (metadataUrl) this.clientMetadataUrl = metadataUrl;
    const { clientId, privateKey, algorithm = "RS256" } = config;
    if (clientId && privateKey)
      this.addClientAuthentication = createPrivateKeyJwtAuth({
        issuer: clientId,
        subject: clientId,
        privateKey,
        alg: algorithm,
      });
  }

  private get isMachine(): boolean {
    return isMachine(this.config);
  }

  get redirectUrl(): string | undefined {
    if (this.isMachine) return undefined;
    return this.interaction?.redirectUrl ?? this.setup.redirectUrls[0];
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientSecret, scope } = this.config;
    return clientMetadata(this.setup.redirectUrls, {
      machine: this.isMachine,
      secret: clientSecret !== undefined,
      scope,
    });
  }

  state(): string {
    if (!this.interaction) throw new LoginNeededError(askPerson);
    return this.interaction.state;
  }

  clientInformation(ctx?: OAuthClientInformationContext): StoredOAuthClientInformation | undefined {
    const { clientId, clientSecret } = this.config;
    // Registered by hand with an issuer that only the operator knows; the SDK binds it to the first issuer it is used
    // with.
    const kept = ctx && this.store.saved.clients?.[ctx.issuer];
    if (!clientId) return kept;
    const byHand = { client_id: clientId, ...(clientSecret && { client_secret: clientSecret }) };
    return kept?.client_id === clientId ? { ...kept, ...byHand } : byHand;
  }

  async saveClientInformation(
    client: StoredOAuthClientInformation,
    ctx?: OAuthClientInformationContext,
  ): Promise<void> {
    const issuer = ctx?.issuer ?? client.issuer;
    if (!issuer) return;
    const { client_secret: secret, ...rest } = client;
    // A secret that is written in the file is not stored a second time.
    const kept = this.config.clientSecret ? rest : { ...rest, ...(secret && { client_secret: secret }) };
    await this.store.change(({ clients }) => ({ clients: { ...clients, [issuer]: kept } }));
  }

  /** None for another issuer than that of the tokens: a token is only sent to its issuer. */
  tokens(ctx?: OAuthClientInformationContext): StoredOAuthTokens | undefined {
    const { tokens } = this.store.saved;
    return ctx && tokens?.issuer !== undefined && tokens.issuer !== ctx.issuer ? undefined : tokens;
  }

  async saveTokens(tokens: StoredOAuthTokens): Promise<void> {
    await this.store.change({ tokens, wantedScope: undefined });
  }

  async redirectToAuthorization(url: URL): Promise<void> {
    if (!this.interaction) throw new LoginNeededError(askPerson);
    this.interaction.authorizationUrl = url;
  }

  async saveCodeVerifier(codeVerifier: string): Promise<void> {
    if (!this.interaction) throw new LoginNeededError(askPerson);
    const { state, redirectUrl, scope, returnTo } = this.interaction;
    const pending = { state, codeVerifier, redirectUrl, expiresAt: Date.now() + pendingMs };
    const more = { ...(scope && { scope }), ...(returnTo && { returnTo }) };
    await this.store.change({ pending: { ...pending, ...more } });
  }

  codeVerifier(): string {
    const verifier = this.interaction?.codeVerifier;
    if (!verifier)
      throw new LoginNeededError("This sign-in was not started here, or has expired; start again.");
    return verifier;
  }

  saveAuthorizationServerUrl(issuer: string): void {
    this.found.issuer = issuer;
  }

  saveResourceUrl(resource: string): void {
    this.found.resource = resource;
  }

  /** Without a page the client proves at once whom it asks for; undefined makes the SDK exchange the code. */
  async prepareTokenRequest(scope?: string): Promise<URLSearchParams | undefined> {
    if (!this.isMachine) return undefined;
    const assertion = isVouched(this.config) ? await this.vouch(scope) : this.config.assertion;
    const proof: Record<string, string> =
      this.config.grant === "client_credentials" || assertion === undefined
        ? { grant_type: "client_credentials" }
        : { grant_type: jwtBearer, assertion };
    return new URLSearchParams({ ...proof, ...(scope && { scope }) });
  }

  private vouch(scope: string | undefined): Promise<string> {
    const { issuer, resource } = this.found;
    if (!this.setup.vouching)
      throw new LoginNeededError(
        "This server takes the word of an identity provider (id_jag), and nobody signs in here with one. Set AUTH=accounts and OIDC_ISSUER.",
      );
    if (!issuer || !resource)
      throw new LoginNeededError(
        "The server names no authorization server for itself (RFC 9728), which id_jag needs.",
      );
    return this.setup.vouching.vouch({ audience: issuer, resource, scope });
  }

  /** The SDK calls this first, so a flow that needs a person and has none ends here. */
  discoveryState(): OAuthDiscoveryState | undefined {
    if (!this.interaction && !this.isMachine && !this.store.saved.tokens)
      throw new LoginNeededError(askPerson);
    return this.store.saved.discovery;
  }

  async saveDiscoveryState(discovery: OAuthDiscoveryState): Promise<void> {
    await this.store.change({ discovery });
  }

  async invalidateCredentials(what: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    // The SDK would ask again, but an assertion that was refused is refused again.
    const refused = what !== "discovery" && !this.store.saved.tokens?.refresh_token;
    if (this.config.grant === "jwt_bearer" && refused)
      throw new LoginNeededError("The authorization server does not take the assertion of this workload.");
    if (isVouched(this.config) && refused)
      throw new LoginNeededError(
        what === "client"
          ? 'The authorization server does not take this client: correct "clientId" and "clientSecret" in "oauth" of the entry.'
          : "The authorization server does not take what your identity provider says of you; ask an admin.",
      );
    const gone: Partial<SavedLogin> = {};
    if (what === "all" || what === "tokens") gone.tokens = undefined;
    if (what === "all" || what === "client") gone.clients = undefined;
    if (what === "all" || what === "discovery") gone.discovery = undefined;
    await this.store.change(gone);
  }

  /** Only where the authorization server says that it binds tokens to keys. */
  async dpop(): Promise<DpopSession | undefined> {
    const { discovery } = this.store.saved;
    const metadata: Record<string, unknown> = discovery?.authorizationServerMetadata ?? {};
    const algorithms = metadata.dpop_signing_alg_values_supported;
    if (!Array.isArray(algorithms) || !algorithms.includes("ES256")) return undefined;
    this.dpopSession ??= openDpopSession(this.store).catch((cause) => {
      this.dpopSession = undefined; // the next request tries again
      throw cause;
    });
    return this.dpopSession;
  }
}

const openDpopSession = async (store: LoginStore) =>
  DpopSession.create({ alg: "ES256", keyPair: await dpopKeyPair(store) });

const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** How long a person may take to sign in. */
const pendingMs = 15 * 60_000;
