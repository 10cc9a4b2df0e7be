import { approvalHash } from "@/lib/mcp/config/launch";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { ManagedServer, ServerSetup } from "./managed-server";
import { ServerRegistry } from "./server-registry";

type ByName<Value> = ReadonlyMap<string, Value>;

/** The servers as one person has them: connections of their own, servers that nobody else has, and those that everybody shares. */
export class PersonRegistry extends ServerRegistry {
  private owned: ReadonlySet<string> = new Set();

  constructor(
    setup: ServerSetup,
    private readonly shared: ServerRegistry,
    /** The entries of servers that nobody else has. */
    private readonly entries: () => ByName<McpServerConfig>,
  ) {
    super(setup);
  }

  /** Without those that everybody shares. */
  own(): ManagedServer[] {
    return super.all();
  }

  override all(): ManagedServer[] {
    const ofAll = this.shared.all().map((server) => super.get(server.name) ?? server);
    return [...super.all().filter(({ name }) => this.owned.has(name)), ...ofAll];
  }

  override get(name: string): ManagedServer | undefined {
    return super.get(name) ?? this.shared.get(name);
  }

  override isOwned(name: string): boolean {
    return this.owned.has(name);
  }

  override hidesOwned(name: string): boolean {
    return !this.owned.has(name) && this.entries().has(name);
  }

  /** Where the operator has a server of the same name, that one counts. */
  override apply(servers: ByName<McpServerConfig>, approved: ByName<string>): void {
    const personal = [...servers].filter(([, config]) => this.setup.isPersonal(config));
    const owned = [...this.entries()].filter(([name]) => !servers.has(name));
    const before = this.owned;
    this.owned = new Set(owned.map(([name]) => name));
    // A connection that was opened under the rules of the one must not serve the other.
    const same = personal.filter(([name]) => !before.has(name));
    const kept = owned.filter(([name]) => before.has(name));
    // Who has added it has approved it.
    const hashes = owned.map(([name, config]) => [name, approvalHash(config, this.setup.root)] as const);
    const all = new Map([...approved, ...hashes]);
    super.apply(new Map([...same, ...kept]), all);
    super.apply(new Map([...personal, ...owned]), all);
  }
}
