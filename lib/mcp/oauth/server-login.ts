import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type AuthProvider,
  auth,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  withDpopFromProvider,
} from "@modelcontextprotocol/client";
import { secretWords } from "@/lib/mcp/config/secrets-of";
import { isOwnNetwork } from "@/lib/mcp/transport/address";
import { createGuardedFetch, type GuardOptions, hostAndPort } from "@/lib/mcp/transport/guarded-fetch";
import type { McpLoginState } from "@/lib/protocol/mcp";
import { assertPage } from "./assert-page";
import { explainLogin, forbiddenAddressIn } from "./explain-login";
import { type Interaction, isMachine, LoginProvider, type LoginRecord } from "./login-provider";
import {
  askPerson,
  LoginNeededError,
  type LoginSetup,
  type OAuthConfig,
  type PendingLogin,
  type SavedLogin,
} from "./types";

export interface ServerLoginOptions {
  server: string;
  url: URL;
  config: OAuthConfig;
  setup: LoginSetup;
  /** With the server's own, where it may be a private address. */
  privateHosts: readonly string[];
  guard?: Pick<GuardOptions, "connect" | "lookup"> | undefined;
}

interface Challenge {
  resourceMetadataUrl?: URL | undefined;
  scope?: string | undefined;
}

type Fetch = typeof globalThis.fetch;
type UnauthorizedContext = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];

/** The login of one HTTP server: its tokens, how they are renewed, and how a person gets new ones. */
export class ServerLogin {
  private saved: SavedLogin;
  private loaded: Promise<void> | undefined;
  private renewing: Promise<void> | undefined;
  private renewedAt = 0;
  private retired = false;
  /** The newest last. */
  private readonly issued = new Set<string>();
  private writing: Promise<void> = Promise.resolve();
  private privateHost: string | null = null;
  /** What the server said when it last refused us. */
  private challenge: Challenge = {};

  constructor(private readonly options: ServerLoginOptions) {
    this.saved = { url: options.url.href };
  }

  isFor(url: URL, config: OAuthConfig, privateHosts: readonly string[]): boolean {
    const { url: mine, config: known, privateHosts: before } = this.options;
    return url.href === mine.href && isDeepStrictEqual([config, privateHosts], [known, before]);
  }

  get state(): McpLoginState {
    const { tokens } = this.saved;
    return {
      signedIn: tokens !== undefined,
      issuer: tokens?.issuer ?? null,
      scope: tokens?.scope ?? null,
      privateHost: this.privateHost,
    };
  }

  /** What must not be told: its tokens, those of before as long as they may be valid, and what it proves itself with. */
  secrets(): string[] {
    const { clients = {}, dpopKey, pending } = this.saved;
    const own = Object.values(clients).map(({ client_secret: secret }) => secret);
    return secretWords([
      ...this.issued,
      ...[...own, dpopKey?.d, pending?.codeVerifier].flatMap((one) => one ?? []),
    ]);
  }

  /** Reads what is kept, once. */
  load(): Promise<void> {
    this.loaded ??= this.options.setup.memory.get(this.options.server).then((kept) => {
      if (kept?.url === this.saved.url) this.saved = kept;
      this.noteTokens();
    });
    return this.loaded;
  }

  /** For the transport: sends the token that there is, and renews it once for all requests that were refused. */
  readonly authProvider: AuthProvider = {
    token: async () => {
      await this.load();
      return this.saved.tokens?.access_token;
    },
    onUnauthorized: (context) => this.renew(context),
  };

  /** Requests to the server carry proofs where tokens are bound to a key. */
  wrapFetch(fetch: Fetch): Fetch {
    return withDpopFromProvider(this.provider())(fetch) as Fetch;
  }

  /** Where the browser has to go; what comes back goes to `finish`. */
  async begin(redirectUrl: string): Promise<URL> {
    await this.load();
    // Servers move: what was found out before counts for nothing now.
    await this.change({ discovery: undefined, pending: undefined });
    const { resourceMetadataUrl } = this.challenge;
    const scope = computeScopeUnion(this.saved.wantedScope, this.challenge.scope);
    const interaction: Interaction = { state: randomBytes(24).toString("base64url"), redirectUrl, scope };
    await this.guarded((fetchFn) =>
      auth(this.provider(interaction), {
        serverUrl: this.options.url,
        fetchFn,
        forceReauthorization: true,
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
        ...(scope && { scope }),
      }),
    );
    if (!interaction.authorizationUrl)
      throw new LoginNeededError("The server gave no address to sign in at.");
    assertPage(interaction.authorizationUrl, [hostAndPort(this.options.url), ...this.options.privateHosts]);
    return interaction.authorizationUrl;
  }

  /** Whether a sign-in with this state has been begun for this server and has not run out. */
  async expects(state: string): Promise<boolean> {
    await this.load();
    const { pending } = this.saved;
    return pending?.state === state && pending.expiresAt > Date.now();
  }

  /** The sign-in with this state, for `finish`: given out once, however many answers come at the same time. */
  take(state: string): PendingLogin | undefined {
    const { pending } = this.saved;
    if (pending?.state !== state) return undefined;
    this.saved = { ...this.saved, pending: undefined };
    return pending;
  }

  /** Takes the authorization response: exchanges the code. */
  async finish(pending: PendingLogin, response: URLSearchParams): Promise<void> {
    const error = response.get("error");
    const code = response.get("code");
    const iss = response.get("iss") ?? undefined;
    // That it was taken is stored before the code goes out: it must not go a second time after a crash.
    await this.change({});
    if (error) throw new LoginNeededError(refused(error, response.get("error_description")));
    if (!code)
      throw new LoginNeededError("The answer of the authorization server holds no code; start again.");
    const interaction: Interaction = { ...pending };
    await this.guarded((fetchFn) =>
      auth(this.provider(interaction), {
        serverUrl: this.options.url,
        authorizationCode: code,
        fetchFn,
        ...(iss && { iss }),
        ...(pending.scope && { scope: pending.scope }),
      }),
    );
  }

  /** A server wants more rights than were granted: a machine asks for them at once (true), a person at the next sign-in. */
  async stepUp(scope: string | undefined): Promise<boolean> {
    await this.load();
    const wantedScope = computeScopeUnion(this.saved.tokens?.scope, scope);
    await this.change({ wantedScope });
    if (!isMachine(this.options.config)) return false;
    await this.authorize({ scope: wantedScope });
    return true;
  }

  async forget(): Promise<void> {
    await this.load();
    const { clients } = this.saved;
    this.saved = { url: this.saved.url };
    await this.options.setup.memory.set(this.options.server, clients && { ...this.saved, clients });
  }

  /** Several requests that are refused at once renew once; one that comes late has been helped already. */
  private renew(context: UnauthorizedContext): Promise<void> {
    if (Date.now() - this.renewedAt < justRenewedMs) return Promise.resolve();
    this.renewing ??= this.renewNow(context).finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  }

  private async renewNow({ response }: UnauthorizedContext): Promise<void> {
    await this.load();
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    this.challenge = { resourceMetadataUrl, scope };
    // A token that is refused may come from an authorization server that is not the right one any more.
    if (this.saved.tokens) await this.change({ discovery: undefined });
    await this.authorize(this.challenge);
    this.renewedAt = Date.now();
  }

  private async authorize({ resourceMetadataUrl, scope }: Challenge): Promise<void> {
    const outcome = await this.guarded((fetchFn) =>
      auth(this.provider(), {
        serverUrl: this.options.url,
        fetchFn,
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
        ...(scope && { scope }),
      }),
    );
    if (outcome !== "AUTHORIZED") throw new LoginNeededError(askPerson);
  }

  private provider(interaction?: Interaction): LoginProvider {
    const record: LoginRecord = { saved: () => this.saved, change: (patch) => this.change(patch) };
    return new LoginProvider(record, this.options.setup, this.options.config, interaction);
  }

  /** The server has been removed: what is under way is not stored any more. */
  retire(): void {
    this.retired = true;
  }

  /** In order, so that what is stored last is what was true last. */
  private change(patch: Partial<SavedLogin>): Promise<void> {
    this.saved = { ...this.saved, ...patch };
    this.noteTokens();
    if (this.retired) return this.writing;
    const { setup, server } = this.options;
    this.writing = this.writing.then(() => setup.memory.set(server, this.saved));
    return this.writing;
  }

  private noteTokens(): void {
    const { access_token, refresh_token, id_token } = this.saved.tokens ?? {};
    for (const token of [access_token, refresh_token, id_token]) if (token) this.issued.add(token);
    for (const token of [...this.issued].slice(0, -maxIssued)) this.issued.delete(token);
  }

  /** Without the headers of the entry: they are for the server, not for who signs people in. */
  private async guarded<Value>(work: (fetchFn: Fetch) => Promise<Value>): Promise<Value> {
    const { url, guard, privateHosts } = this.options;
    const { fetch, close } = createGuardedFetch({ allowed: privateHosts, ...guard });
    const limited = ((input: string | URL, init?: RequestInit) =>
      fetch(input, { ...init, signal: AbortSignal.timeout(requestMs) })) as Fetch;
    this.privateHost = null;
    try {
      return await work(limited);
    } catch (cause) {
      // A server somewhere else could have a person let it into our network.
      if (isOwnNetwork(url)) this.privateHost = forbiddenAddressIn(cause)?.privateHost ?? null;
      throw explainLogin(cause, url);
    } finally {
      await close();
    }
  }
}

function refused(error: string, description: string | null): string {
  if (error === "access_denied") return "The sign-in was declined.";
  const code = error.slice(0, 100);
  return description
    ? `The authorization server answered ${code}: ${description.slice(0, 300)}.`
    : `The authorization server answered ${code}.`;
}

/** Tokens are renewed every few minutes, and are valid for hours. */
const maxIssued = 30;
const requestMs = 20_000;
const justRenewedMs = 2_000;
