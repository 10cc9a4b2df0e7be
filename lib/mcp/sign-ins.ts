import { LoginNeededError } from "./oauth/types";
import type { ServerRegistry } from "./servers/server-registry";

export interface McpSignIns {
  /** Begins a sign-in: where the browser has to go. What comes back to `redirectUrl` goes to `finish`. */
  begin(name: string, redirectUrl: string): Promise<URL>;
  /** Takes an authorization response, once; the name of the server it was for, which is connected anew or says why not. Throws `LoginNeededError` when nobody waits for it. */
  finish(response: URLSearchParams): Promise<string>;
  /** Forgets the tokens. */
  forget(name: string): Promise<void>;
}

/** Signing in to servers: each sign-in begins here, and its answer finds its server by the state it carries. */
export class SignIns implements McpSignIns {
  constructor(private readonly servers: ServerRegistry) {}

  async begin(name: string, redirectUrl: string): Promise<URL> {
    return this.servers.requireLogin(name).begin(redirectUrl);
  }

  async finish(response: URLSearchParams): Promise<string> {
    const state = response.get("state") ?? "";
    const server = await this.servers.findByLoginState(state);
    const pending = server?.login?.take(state);
    if (!server?.login || !pending)
      throw new LoginNeededError("Nobody waits for this sign-in any more. Start it again in the settings.");
    // What came of it stands at the server, where the person looks.
    try {
      await server.login.finish(pending, response);
      server.restart();
    } catch (cause) {
      if (!(cause instanceof LoginNeededError)) throw cause;
      server.onLoginFailed(cause.message);
    }
    return server.name;
  }

  async forget(name: string): Promise<void> {
    await this.servers.requireLogin(name).forget();
    this.servers.require(name).restart();
  }
}
