import type { Role } from "@/lib/protocol/accounts";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { isForRole } from "./is-for-role";
import type { ManagedServer, ServerSetup } from "./managed-server";
import { ServerRegistry } from "./server-registry";

type ByName<Value> = ReadonlyMap<string, Value>;

/**
 * The servers as one person has them: connections of their own, servers that nobody else has, and those that everybody shares. One
 * that is for other roles is as one that does not exist.
 */
export class PersonRegistry extends ServerRegistry {
  private owned: ReadonlySet<string> = new Set();
  /** The operator's that this person does not have. */
  private hidden: ReadonlySet<string> = new Set();

  constructor(
    setup: ServerSetup,
    private readonly shared: ServerRegistry,
    private readonly of: {
      /** The entries of servers that nobody else has. */
      entries(): ByName<McpServerConfig>;
      role(): Role | undefined;
    },
    ended?: Promise<void>,
  ) {
    super(setup, ended);
  }

  /** Without those that everybody shares. */
  own(): ManagedServer[] {
    return super.all();
  }

  override all(): ManagedServer[] {
    const shared = this.shared.all().filter(({ name }) => !this.hidden.has(name));
    const ofAll = shared.map((server) => super.get(server.name) ?? server);
    return [...super.all().filter(({ name }) => this.owned.has(name)), ...ofAll];
  }

  override get(name: string): ManagedServer | undefined {
    return super.get(name) ?? (this.hidden.has(name) ? undefined : this.shared.get(name));
  }

  /** With those that the person does not have. */
  override known(): ManagedServer[] {
    return [...new Set([...this.all(), ...this.shared.all()])];
  }

  override isOwned(name: string): boolean {
    return this.owned.has(name);
  }

  override hidesOwned(name: string): boolean {
    return !this.owned.has(name) && this.of.entries().has(name);
  }

  /** Where the operator has a server of the same name for this person, that one counts. To be called for another role too. */
  override apply(servers: ByName<McpServerConfig>, approved: ByName<string>): void {
    const role = this.of.role();
    const isApproved = (name: string, config: McpServerConfig) =>
      this.setup.rule.isApproved(config, approved.get(name));
    const isTheirs = ([name, config]: [string, McpServerConfig]) =>
      isForRole(role, config, () => isApproved(name, config));
    const theirs = new Map([...servers].filter(isTheirs));
    this.hidden = new Set([...servers.keys()].filter((name) => !theirs.has(name)));
    const personal = [...theirs].filter(([, config]) => this.setup.isPersonal(config));
    const owned = [...this.of.entries()].filter(([name]) => !theirs.has(name));
    const before = this.owned;
    this.owned = new Set(owned.map(([name]) => name));
    // A connection that was opened under the rules of the one must not serve the other.
    const same = personal.filter(([name]) => !before.has(name));
    const kept = owned.filter(([name]) => before.has(name));
    // Who has added it has approved it.
    const hashes = owned.map(([name, config]) => [name, this.setup.rule.hashOf(config)] as const);
    const all = new Map([...approved, ...hashes]);
    super.apply(new Map([...same, ...kept]), all);
    super.apply(new Map([...personal, ...owned]), all);
  }
}
