import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { ManagedServer, ServerSetup } from "./managed-server";
import { ServerRegistry } from "./server-registry";

/** The servers as one person has them: connections of their own, and those that everybody shares. */
export class PersonRegistry extends ServerRegistry {
  constructor(
    setup: ServerSetup,
    private readonly shared: ServerRegistry,
  ) {
    super(setup);
  }

  /** Without those that everybody shares. */
  own(): ManagedServer[] {
    return super.all();
  }

  override all(): ManagedServer[] {
    return this.shared.all().map((server) => super.get(server.name) ?? server);
  }

  override get(name: string): ManagedServer | undefined {
    return super.get(name) ?? this.shared.get(name);
  }

  override apply(servers: ReadonlyMap<string, McpServerConfig>, approved: ReadonlyMap<string, string>): void {
    const own = [...servers].filter(([, config]) => this.setup.isPersonal(config));
    super.apply(new Map(own), approved);
  }
}
