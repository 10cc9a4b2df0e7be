import { LoginNeededError } from "./oauth/types";
import type { ServerSet } from "./servers/server-registry";

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
  constructor(private readonly set: ServerSet) {}

  async begin(name: string, redirectUrl: string): Promise<URL> {
    return this.set.requireLogin(name).begin(redirectUrl);
  }

  async finish(response: URLSearchParams): Promise<string> {
    const state = response.get("state") ?? "";
    const slot = await this.set.awaitedBy(state);
    const pending = slot?.login?.take(state);
    if (!slot?.login || !pending)
      throw new LoginNeededError("Nobody waits for this sign-in any more. Start it again in the settings.");
    // What came of it stands at the server, where the person looks.
    try {
      await slot.login.finish(pending, response);
      slot.restart();
    } catch (cause) {
      if (!(cause instanceof LoginNeededError)) throw cause;
      slot.refuse(cause.message);
    }
    return slot.name;
  }

  async forget(name: string): Promise<void> {
    await this.set.requireLogin(name).forget();
    this.set.require(name).restart();
  }
}
