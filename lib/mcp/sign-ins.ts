import { LoginNeededError } from "./oauth/login-needed-error";
import type { ServerRegistry } from "./servers/server-registry";

export interface DoneSignIn {
  server: string;
  at: number;
  /** Undefined for one that counts for everybody. */
  person: string | undefined;
}

/** Signing in to servers. An authorization response is matched to its server by its `state`. */
export class SignIns {
  constructor(
    private readonly servers: ServerRegistry,
    private readonly person: string | undefined,
    /** Connections of people, for who looks at all of them. */
    private readonly ofPeople: () => Iterable<readonly [person: string, servers: ServerRegistry]>,
  ) {}

  /** Begins a sign-in: the address to open in the browser. The response that comes to `redirectUrl` goes to `finish`. */
  async begin(name: string, redirectUrl: string, returnTo?: string): Promise<URL> {
    await this.servers.settled([this.servers.require(name)]);
    return this.servers.requireLogin(name).begin(redirectUrl, returnTo);
  }

  /**
   * Takes an authorization response, once, and returns the name of the server that it is for, which is connected again or
   * says why not, and where the person came from. Throws `LoginNeededError` for a response that no sign-in waits for.
   */
  async finish(response: URLSearchParams): Promise<{ server: string; returnTo?: string }> {
    const state = response.get("state") ?? "";
    const server = await this.servers.findByLoginState(state);
    const pending = await server?.login?.takePending(state);
    if (!server?.login || !pending)
      throw new LoginNeededError("This sign-in expired. Start it again in the settings.");
    // A failure is shown with the server, where the person looks.
    try {
      await server.login.finish(pending, response);
      server.restart();
    } catch (cause) {
      if (!(cause instanceof LoginNeededError)) throw cause;
      server.onLoginFailed(cause.message);
    }
    const { returnTo } = pending;
    return { server: server.name, ...(returnTo !== undefined && { returnTo }) };
  }

  /** The person has signed in at their identity provider: servers that wait for its word ask it again. */
  async vouched(): Promise<void> {
    for (const server of this.servers.all()) {
      if (server.state.status !== "needs_login" || !server.login?.isVouched) continue;
      await server.login.load();
      await server.login.noteSignedIn();
      server.restart();
    }
  }

  /** The servers that are ready and that a person has signed in to, with when that was, epoch ms, and whose connection it is. */
  done(): DoneSignIn[] {
    const all = [[this.person, this.servers] as const, ...this.ofPeople()];
    return all.flatMap(([person, servers]) =>
      servers.all().flatMap(({ name, state, login }) => {
        const at = login?.signedInAt;
        return state.status === "ready" && at !== undefined ? [{ server: name, at, person }] : [];
      }),
    );
  }

  /** Removes the tokens. */
  async forget(name: string): Promise<void> {
    await this.servers.requireLogin(name).forget();
    this.servers.require(name).restart();
  }
}
