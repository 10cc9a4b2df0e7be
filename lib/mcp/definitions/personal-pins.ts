import { McpConfigError } from "@/lib/mcp/config/config-fault";
import type { ServerTool } from "@/lib/mcp/connection/server-tool";
import type { Pinned } from "@/lib/protocol/mcp";
import type { Pin } from "./lock-file";
import type { LockPlace } from "./lock-place";
import { type Acceptance, Pins } from "./pins";

interface Division {
  /** Of the servers that everybody shares. */
  ofAll: Pins;
  /** Whether the person has a connection of their own to this server. */
  isPersonal(server: string): boolean;
}

/**
 * What one person has accepted of the servers that they have connections of their own to: these may list other tools for
 * others, and a text that one person has accepted must not be read by the model of another one.
 */
export class PersonalPins extends Pins {
  constructor(
    place: LockPlace,
    private readonly division: Division,
  ) {
    super(place);
  }

  override pinFirst(server: string, tools: readonly ServerTool[]): void | Promise<void> {
    if (this.isOwn(server)) return super.pinFirst(server, tools);
  }

  override of(server: string): ReadonlyMap<string, Pin> {
    return this.isOwn(server) ? super.of(server) : this.division.ofAll.of(server);
  }

  override state(server: string, tool: ServerTool): Pinned {
    return this.isOwn(server) ? super.state(server, tool) : this.division.ofAll.state(server, tool);
  }

  override acceptedTool(server: string, tool: ServerTool): ServerTool | undefined {
    return this.isOwn(server)
      ? super.acceptedTool(server, tool)
      : this.division.ofAll.acceptedTool(server, tool);
  }

  override acceptedTools(server: string): ServerTool[] {
    return this.isOwn(server) ? super.acceptedTools(server) : this.division.ofAll.acceptedTools(server);
  }

  /** What is blocked for all is blocked for each. */
  override isBlocked(server: string, tool: ServerTool): boolean {
    return (
      this.division.ofAll.isBlocked(server, tool) || (this.isOwn(server) && super.isBlocked(server, tool))
    );
  }

  /** Of what is blocked for all nobody accepts anything for themselves. */
  override async accept(server: string, what: Acceptance): Promise<void> {
    const { ofAll } = this.division;
    if (!this.isOwn(server)) return ofAll.accept(server, what);
    const blocked = what.tools.find((tool) => ofAll.isBlocked(server, tool));
    if (blocked && !what.forAll)
      throw new McpConfigError(
        "invalid",
        `An admin has blocked ${blocked.name} for everybody; ask an admin.`,
      );
    await super.accept(server, what);
    for (const tool of what.forAll ? what.tools : []) await ofAll.unblock(server, tool);
  }

  override async block(server: string, tool: ServerTool, forAll = false): Promise<void> {
    const { ofAll } = this.division;
    if (!this.isOwn(server)) return ofAll.block(server, tool);
    await super.block(server, tool);
    if (forAll) await ofAll.block(server, tool);
  }

  private isOwn(server: string): boolean {
    return this.division.isPersonal(server);
  }
}
