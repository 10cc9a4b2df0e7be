import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { ServerTool } from "@/lib/mcp/connection/server-tool";
import type { ServerLogin } from "@/lib/mcp/oauth/server-login";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { ServerSlot, type SlotSetup } from "./managed-server";
import { mayOffer, qualifyName } from "./qualify-name";

/** A tool and the server that offers it. */
export interface Offer {
  slot: ServerSlot;
  tool: ServerTool;
}

/** The servers of the file, in its order, and the tools that they offer now, awake or asleep. */
export class ServerSet {
  private slots = new Map<string, ServerSlot>();
  /** Servers that have left the file and are being ended. */
  private readonly leaving = new Map<string, Promise<void>>();
  private index: Map<string, Offer> | undefined;

  constructor(private readonly setup: SlotSetup) {}

  all(): ServerSlot[] {
    return [...this.slots.values()];
  }

  get(name: string): ServerSlot | undefined {
    return this.slots.get(name);
  }

  /** Throws `McpConfigError` "not_found". */
  require(name: string): ServerSlot {
    const slot = this.slots.get(name);
    if (!slot) throw new McpConfigError("not_found", `There is no server called ${name}.`);
    return slot;
  }

  /** Throws `McpConfigError` for a server that nobody can sign in to. */
  requireLogin(name: string): ServerLogin {
    const { login } = this.require(name);
    if (!login)
      throw new McpConfigError(
        "invalid",
        `${name} takes no sign-in: it is a local process, is not approved, or has a token in its headers.`,
      );
    return login;
  }

  /** The server for which a sign-in with this state has been begun. */
  async awaitedBy(state: string): Promise<ServerSlot | undefined> {
    for (const slot of this.slots.values()) if (await slot.login?.expects(state)) return slot;
    return undefined;
  }

  /** By qualified name. */
  offers(): ReadonlyMap<string, Offer> {
    if (this.index) return this.index;
    this.index = new Map();
    for (const slot of this.all().sort((a, b) => (a.name < b.name ? -1 : 1)))
      for (const tool of slot.listing?.tools ?? []) {
        const name = qualifyName(slot.name, tool.name);
        if (!this.index.has(name)) this.index.set(name, { slot, tool });
      }
    return this.index;
  }

  /** Resolves at once for a tool that is there or sleeps; else, also for one whose server is being woken or comes back, when none that may have it is being connected, or after 5 s. */
  async awaitOffer(name: string, signal: AbortSignal): Promise<void> {
    const offer = this.offers().get(name);
    if (offer && !offer.slot.isComing) return;
    const coming = this.all().filter((slot) => mayOffer(slot.name, name));
    await Promise.all(coming.map((slot) => slot.ready(signal)));
  }

  /** A server has come, gone or listed its tools. */
  invalidate(): void {
    this.index = undefined;
  }

  /** Brings the servers in line with the file. */
  apply(servers: ReadonlyMap<string, McpServerConfig>, approved: ReadonlyMap<string, string>): void {
    const before = this.slots;
    this.slots = new Map();
    for (const name of servers.keys())
      this.slots.set(name, before.get(name) ?? new ServerSlot(name, this.setup, this.leaving.get(name)));
    for (const slot of before.values()) if (!servers.has(slot.name)) this.dismiss(slot);
    for (const [name, config] of servers) this.slots.get(name)?.configure(config, approved.get(name));
  }

  /** Resolves when a server that has left the file is ended. */
  async gone(name: string): Promise<void> {
    await this.leaving.get(name);
  }

  async close(): Promise<void> {
    await Promise.all([...this.all().map((slot) => slot.close()), ...this.leaving.values()]);
  }

  private dismiss(slot: ServerSlot): void {
    slot.login?.retire();
    const gone = slot.close().finally(() => {
      if (this.leaving.get(slot.name) === gone) this.leaving.delete(slot.name);
    });
    this.leaving.set(slot.name, gone);
  }
}
