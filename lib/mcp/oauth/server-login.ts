import { randomBytes } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  type AuthProvider,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  withDpopFromProvider,
} from "@modelcontextprotocol/client";
import { isNotHeld, type MayCall } from "@/lib/mcp/transport/held-calls";
import type { McpLoginState } from "@/lib/protocol/mcp";
import { explainRefusal } from "./explain-login";
import { type Fetch, LoginFlow, type ServerLoginOptions } from "./login-flow";
import { askPerson, LoginNeededError } from "./login-needed-error";
import type { Interaction } from "./login-provider";
import { isMachine, isVouched } from "./login-setup";
import { LoginStore, type PendingLogin } from "./login-store";

/** A request that was refused this soon after a renewal was sent with the old token. */
const justRenewedMs = 2_000;
const maxTurns = 3;

interface Challenge {
  resourceMetadataUrl?: URL | undefined;
  scope?: string | undefined;
}

type UnauthorizedContext = Parameters<NonNullable<AuthProvider["onUnauthorized"]>>[0];

/** The login of one HTTP server: sends its token, renews it, and lets a person sign in. */
export class ServerLogin {
  private readonly store: LoginStore;
  private readonly flow: LoginFlow;
  private renewing: Promise<void> | undefined;
  private renewedAt = 0;
  /** The token of the last request. */
  private sent: string | undefined;
  /** From the last `WWW-Authenticate` header of the server. */
  private challenge: Challenge = {};

  constructor(private readonly options: ServerLoginOptions) {
    this.store = new LoginStore(options.setup.memory, options.server, options.url);
    this.flow = new LoginFlow(this.store, options);
  }

  isFor(url: URL, config: ServerLoginOptions["config"], privateHosts: readonly string[]): boolean {
    const { url: mine, config: known, privateHosts: before } = this.options;
    return url.href === mine.href && isDeepStrictEqual([config, privateHosts], [known, before]);
  }

  get state(): McpLoginState {
    const { tokens, signedInAt } = this.store.saved;
    return {
      signedIn: tokens !== undefined,
      signedInAt: signedInAt === undefined ? null : new Date(signedInAt).toISOString(),
      issuer: tokens?.issuer ?? null,
      scope: tokens?.scope ?? null,
      privateHost: this.flow.privateHost,
    };
  }

  /** When a person last signed in, epoch ms; undefined after signing out. Their tokens may have run out. */
  get signedInAt(): number | undefined {
    return this.store.saved.signedInAt;
  }

  /** Whether a person can sign in; otherwise this client authenticates for itself. */
  get isForPeople(): boolean {
    return this.isVouched || !isMachine(this.options.config);
  }

  /** A person signs in at their identity provider, for all such servers at once. */
  get isVouched(): boolean {
    return isVouched(this.options.config) && this.options.setup.vouching !== undefined;
  }

  /** They just have. */
  noteSignedIn(): Promise<void> {
    return this.store.change({ signedInAt: Date.now() });
  }

  /** What must not be disclosed. */
  secrets(): string[] {
    return this.store.secrets();
  }

  /** Reads what is saved, once. */
  load(): Promise<void> {
    return this.store.load();
  }

  /** Takes up what another process has stored; true where a person has signed in or out there. */
  async reread(): Promise<boolean> {
    if (!this.store.isRead) return false;
    const before = this.store.saved;
    await this.store.reload();
    const { signedInAt, tokens } = this.store.saved;
    const isOther =
      signedInAt !== before.signedInAt || (tokens === undefined) !== (before.tokens === undefined);
    return this.isForPeople && isOther;
  }

  /** For the transport: sends the token, and renews it once for all requests that were refused with it. */
  readonly authProvider: AuthProvider = {
    token: async () => {
      await this.load();
      this.sent = this.store.saved.tokens?.access_token;
      return this.sent;
    },
    onUnauthorized: (context) => this.renew(context),
  };

  /** Adds DPoP proofs (RFC 9449) to requests where the tokens are bound to a key. */
  wrapFetch(fetch: Fetch): Fetch {
    return withDpopFromProvider(this.flow.provider())(fetch) as Fetch;
  }

  /** The address to open in the browser; the authorization response goes to `finish`, and the person to `returnTo`. */
  async begin(redirectUrl: string, returnTo?: string): Promise<URL> {
    await this.load();
    const { setup, server } = this.options;
    if (this.isVouched && setup.vouching)
      return setup.vouching.signInPage(returnTo ?? `/settings/mcp/${encodeURIComponent(server)}`);
    // Servers move: a discovery from an earlier sign-in may be out of date.
    await this.store.change({ discovery: undefined, pending: undefined });
    const { resourceMetadataUrl } = this.challenge;
    const scope = computeScopeUnion(this.store.saved.wantedScope, this.challenge.scope);
    const state = randomBytes(24).toString("base64url");
    const interaction: Interaction = { state, redirectUrl, scope, ...(returnTo && { returnTo }) };
    return this.flow.openPage(interaction, {
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope && { scope }),
    });
  }

  /** Whether a sign-in with this state has been begun for this server and has not run out. */
  async hasPending(state: string): Promise<boolean> {
    // It may have been begun in another process.
    await this.store.reload();
    const { pending } = this.store.saved;
    return pending?.state === state && pending.expiresAt > Date.now();
  }

  /**
   * The sign-in with this state, for `finish`: returned once, however many answers arrive at the same time. Stored before
   * the code is sent, so that it is not sent a second time after a crash.
   */
  takePending(state: string): Promise<PendingLogin | undefined> {
    return this.store.takePending(state);
  }

  /** Exchanges the code of the authorization response for tokens. */
  async finish(pending: PendingLogin, response: URLSearchParams): Promise<void> {
    const error = response.get("error");
    const code = response.get("code");
    const iss = response.get("iss") ?? undefined;
    if (error) throw new LoginNeededError(explainRefusal(error, response.get("error_description")));
    if (!code)
      throw new LoginNeededError("The answer of the authorization server contains no code; start again.");
    await this.flow.run(
      { ...pending },
      { authorizationCode: code, ...(iss && { iss }), ...(pending.scope && { scope: pending.scope }) },
    );
    await this.noteSignedIn();
  }

  /** The server wants a wider scope: a client without a person asks for it at once (true), else it is asked for at the next sign-in. */
  async stepUp(scope: string | undefined): Promise<boolean> {
    await this.load();
    const wantedScope = computeScopeUnion(this.store.saved.tokens?.scope, scope);
    await this.store.change({ wantedScope });
    if (!isMachine(this.options.config)) return false;
    await this.authorize({ scope: wantedScope });
    return true;
  }

  /** Removes the tokens. */
  forget(): Promise<void> {
    return this.store.forget();
  }

  /** The server was removed: nothing is stored any more. */
  retire(): void {
    this.store.retire();
  }

  /** Requests that are refused at the same time, or just after a renewal, share one renewal. */
  private renew(context: UnauthorizedContext): Promise<void> {
    if (Date.now() - this.renewedAt < justRenewedMs) return Promise.resolve();
    this.renewing ??= this.renewNow(context).finally(() => {
      this.renewing = undefined;
    });
    return this.renewing;
  }

  private async renewNow({ response }: UnauthorizedContext): Promise<void> {
    await this.load();
    // What is stored may be newer already, where another process has renewed it.
    const refused = this.sent;
    const { resourceMetadataUrl, scope } = extractWWWAuthenticateParams(response);
    this.challenge = { resourceMetadataUrl, scope };
    await this.alone((isHeld) => this.renewUnlessDone(refused, isHeld));
    this.renewedAt = Date.now();
  }

  private async renewUnlessDone(refused: string | undefined, isHeld: MayCall): Promise<void> {
    await this.store.reload();
    const { tokens } = this.store.saved;
    // Another process has renewed it, with what can be used once.
    if (tokens && tokens.access_token !== refused) return;
    // The server may have another authorization server by now than the one that issued the refused token.
    if (tokens) await this.store.change({ discovery: undefined });
    await this.authorize(this.challenge, isHeld);
  }

  /** Again where this process stood still for so long that another one may have begun: it is looked what that has brought. */
  private async alone(work: (isHeld: MayCall) => Promise<void>): Promise<void> {
    const { memory } = this.options.setup;
    if (!memory.alone) return work(() => true);
    for (let left = maxTurns; left > 0; left--)
      try {
        return await memory.alone(this.options.server, work);
      } catch (cause) {
        if (!isNotHeld(cause) || left === 1) throw cause;
      }
  }

  private async authorize({ resourceMetadataUrl, scope }: Challenge, isHeld?: MayCall): Promise<void> {
    const options = {
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(scope && { scope }),
    };
    const outcome = await this.flow.run(undefined, options, isHeld);
    if (outcome !== "AUTHORIZED") throw new LoginNeededError(askPerson);
  }
}
