import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { Connection } from "@/lib/mcp/connection/connection";
import type { ServerTool } from "@/lib/mcp/connection/server-tool";
import type { ServerLogin } from "@/lib/mcp/oauth/server-login";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { ManagedServer, type ServerSetup } from "./managed-server";
import { mayOffer, qualifyName } from "./qualify-name";

/** A tool and the server that offers it. */
export interface Offer {
  server: ManagedServer;
  tool: ServerTool;
}

/** The servers of the file, in its order, and the tools that they offer now, awake or asleep. */
export class ServerRegistry {
  private servers = new Map<string, ManagedServer>();
  /** Servers that were removed from the file and whose processes are ending. */
  private readonly ending = new Map<string, Promise<void>>();
  /** Of the tools by qualified name; made again after each change. */
  private index: Map<string, Offer> | undefined;

  /** `ended` resolves when nothing runs any more of what had the same folders before. */
  constructor(
    protected readonly setup: ServerSetup,
    private readonly ended?: Promise<void>,
  ) {}

  all(): ManagedServer[] {
    return [...this.servers.values()];
  }

  /** Every server of the file, also of those that are not for the person whose servers these are. */
  known(): ManagedServer[] {
    return this.all();
  }

  get(name: string): ManagedServer | undefined {
    return this.servers.get(name);
  }

  /** Whether the person whose servers these are has added this one, and nobody else has it. */
  isOwned(_name: string): boolean {
    return false;
  }

  /** Whether one that the person has added rests, as the operator's has the same name. */
  hidesOwned(_name: string): boolean {
    return false;
  }

  /** The live connection of a server, unless it was removed or is not for the person any more by the time that it is there. */
  async connectionOf(server: ManagedServer, signal: AbortSignal): Promise<Connection | undefined> {
    const connection = await server.ready(signal);
    return this.get(server.name) === server ? connection : undefined;
  }

  /** Throws `McpConfigError` "not_found". */
  require(name: string): ManagedServer {
    const server = this.get(name);
    if (!server) throw new McpConfigError("not_found", `There is no server called ${name}.`);
    return server;
  }

  /** Throws `McpConfigError` "invalid" for a server that takes no sign-in. */
  requireLogin(name: string): ServerLogin {
    const { login } = this.require(name);
    if (!login)
      throw new McpConfigError(
        "invalid",
        `${name} takes no sign-in: it is a local process, is not approved, or has a token in its headers.`,
      );
    return login;
  }

  /** The server that a sign-in with this `state` was begun for, perhaps by a process before this one. */
  async findByLoginState(state: string): Promise<ManagedServer | undefined> {
    const find = async () => {
      for (const server of this.all()) if (await server.login?.hasPending(state)) return server;
      return undefined;
    };
    return (await find()) ?? (await this.settled(this.all()).then(find));
  }

  /** One that has just been made does not know yet whether it takes a sign-in; resolves after 5 s at most. */
  async settled(servers: readonly ManagedServer[]): Promise<void> {
    const unknown = servers.filter(({ login, state }) => !login && state.status === "connecting");
    const signal = new AbortController().signal;
    await Promise.all(unknown.map((server) => server.ready(signal)));
  }

  /** The tools by qualified name. */
  offers(): ReadonlyMap<string, Offer> {
    if (this.index) return this.index;
    this.index = new Map();
    for (const server of this.all().sort((a, b) => (a.name < b.name ? -1 : 1)))
      for (const tool of server.offeredTools) {
        const name = qualifyName(server.name, tool.name);
        if (!this.index.has(name)) this.index.set(name, { server, tool });
      }
    return this.index;
  }

  /**
   * Resolves when a server that may offer the tool is ready, after 5 s at most. A sleeping server counts as ready: its
   * listing is kept.
   */
  async waitForTool(name: string, signal: AbortSignal): Promise<void> {
    const offer = this.offers().get(name);
    if (offer && offer.server.state.status !== "connecting") return;
    const candidates = this.all().filter((server) => mayOffer(server.name, name));
    await Promise.all(candidates.map((server) => server.ready(signal)));
  }

  /** To be called when a server was added, was removed or has listed its tools. */
  invalidate(): void {
    this.index = undefined;
  }

  /** Brings the servers in line with the file. */
  apply(servers: ReadonlyMap<string, McpServerConfig>, approved: ReadonlyMap<string, string>): void {
    const before = this.servers;
    this.servers = new Map();
    for (const name of servers.keys())
      this.servers.set(
        name,
        before.get(name) ?? new ManagedServer(name, this.setup, this.ending.get(name) ?? this.ended),
      );
    for (const server of before.values()) if (!servers.has(server.name)) this.end(server);
    for (const [name, config] of servers) this.servers.get(name)?.configure(config, approved.get(name));
  }

  /** Resolves when the process of a server that was removed from the file has ended. */
  async whenEnded(name: string): Promise<void> {
    await this.ending.get(name);
  }

  async close(): Promise<void> {
    const own = [...this.servers.values()];
    await Promise.all([...own.map((server) => server.close()), ...this.ending.values()]);
  }

  private end(server: ManagedServer): void {
    server.login?.retire();
    const ended = server.close().finally(() => {
      if (this.ending.get(server.name) === ended) this.ending.delete(server.name);
    });
    this.ending.set(server.name, ended);
  }
}
