import { type AuthResult, auth } from "@modelcontextprotocol/client";
import { isOwnNetwork } from "@/lib/mcp/transport/address";
import { createGuardedFetch, type GuardOptions, hostAndPort } from "@/lib/mcp/transport/guarded-fetch";
import { assertHeld, type MayCall } from "@/lib/mcp/transport/held-calls";
import { explainLogin, forbiddenAddressIn } from "./explain-login";
import { LoginNeededError } from "./login-needed-error";
import { type Interaction, LoginProvider } from "./login-provider";
import type { LoginSetup, OAuthConfig } from "./login-setup";
import type { LoginStore } from "./login-store";

const requestMs = 20_000;

export interface ServerLoginOptions {
  server: string;
  url: URL;
  config: OAuthConfig;
  setup: LoginSetup;
  /** `host:port`, with the server's own where it may be a private address. */
  privateHosts: readonly string[];
  guard?: Pick<GuardOptions, "connect" | "lookup" | "isDiscreet"> | undefined;
}

export type Fetch = typeof globalThis.fetch;
export type FlowOptions = Omit<Parameters<typeof auth>[1], "serverUrl" | "fetchFn">;

/** The SDK's OAuth flow with one server and its authorization server, over guarded connections. */
export class LoginFlow {
  /** The private `host:port` that the last flow needed and was not allowed. */
  privateHost: string | null = null;

  constructor(
    private readonly store: LoginStore,
    private readonly options: ServerLoginOptions,
  ) {}

  provider(interaction?: Interaction): LoginProvider {
    return new LoginProvider(this.store, this.options.setup, this.options.config, interaction);
  }

  /**
   * Without the headers of the entry: they are for the server, not for its authorization server. `isHeld` is asked where a
   * refresh token leaves, which mostly can be used once.
   */
  async run(
    interaction: Interaction | undefined,
    options: FlowOptions,
    isHeld: MayCall = () => true,
  ): Promise<AuthResult> {
    const { url, guard, privateHosts } = this.options;
    let wasHeld = true;
    const mayCall = () => {
      wasHeld &&= isHeld();
      return wasHeld;
    };
    const { fetch, close } = createGuardedFetch({ allowed: privateHosts, ...guard, mayCall });
    const fetchFn = ((input: string | URL, init?: RequestInit) =>
      fetch(input, { ...init, signal: AbortSignal.timeout(requestMs) })) as Fetch;
    this.privateHost = null;
    try {
      return await auth(this.provider(interaction), { serverUrl: url, fetchFn, ...options });
    } catch (cause) {
      // The SDK keeps to itself why a token was not renewed.
      if (!wasHeld) assertHeld(mayCall);
      // Only a server of our network may name another private host: one elsewhere could trick a person into allowing it.
      if (isOwnNetwork(url)) this.privateHost = forbiddenAddressIn(cause)?.privateHost ?? null;
      throw explainLogin(cause, url);
    } finally {
      await close();
    }
  }

  /** The address at which a person signs in. */
  async openPage(interaction: Interaction, options: FlowOptions): Promise<URL> {
    await this.run(interaction, { forceReauthorization: true, ...options });
    const { authorizationUrl } = interaction;
    if (!authorizationUrl) throw new LoginNeededError("The server gave no address to sign in at.");
    assertPage(authorizationUrl, [hostAndPort(this.options.url), ...this.options.privateHosts]);
    return authorizationUrl;
  }
}

/** Throws for an address that no browser may be sent to; allows plain http only for `host:port` that may be private. */
function assertPage(page: URL, allowed: readonly string[]): void {
  const { protocol, hostname, port, username, password } = page;
  const isNamed = [`${hostname}:${port || "80"}`, `${hostname}:*`].some((place) => allowed.includes(place));
  if (username || password || !(protocol === "https:" || (protocol === "http:" && isNamed)))
    throw new LoginNeededError(
      `The server names a sign-in page that cannot be opened: ${protocol}//${page.host}. It has to begin with https: and contain no user name.`,
    );
}
