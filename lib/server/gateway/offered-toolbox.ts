import {
  type CalledTool,
  type CallFollower,
  errorCodes,
  GatewayError,
  type ListedTool,
  type McpAnswer,
} from "@/lib/mcp/gateway/offer";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import { hasScope } from "@/lib/server/http/guard";
import { agentTools } from "./agent-tools";
import { type CallingClient, callTool, toldToClient } from "./call-tool";
import { findTools, selectTools } from "./find-tools";
import { findTool, nameFor, toListed } from "./offered-tools";
import type { OwnDeps, OwnTool } from "./own-tool";
import { ownTools } from "./own-tools";

export type ToolboxDeps = OwnDeps & { pool: Pick<McpPool, "givenTools" | "isDeferred"> };

/**
 * The tools of one client: those of its servers, or the search for them, Meguri's own, and agents. A name of a server wins,
 * and one of Meguri's own before that of an agent.
 */
export class OfferedToolbox {
  constructor(
    private readonly deps: ToolboxDeps,
    private readonly client: CallingClient,
  ) {}

  async list(): Promise<ListedTool[]> {
    return [...(await this.agents()), ...this.listed()];
  }

  /** Without agents. */
  listed(): ListedTool[] {
    const { shown, own } = this.now();
    return [...own.map(({ listed }) => listed), ...shown.map((given) => toListed(given, this.client.reach))];
  }

  async agents(): Promise<ListedTool[]> {
    const agents = await agentTools(this.deps, this.client);
    const { taken } = this.now();
    return agents.map(({ listed }) => listed).filter(({ name }) => !taken.has(name));
  }

  async call(called: CalledTool, follow: CallFollower): Promise<McpAnswer> {
    const tool = findTool(this.deps, this.client.reach, called.name);
    if (tool) return callTool(this.deps, this.client, { called, tool }, follow);
    return toldToClient(this.deps, async () => {
      const isCalled = ({ listed }: OwnTool) => listed.name === called.name;
      const own = this.now().own.find(isCalled) ?? (await agentTools(this.deps, this.client)).find(isCalled);
      if (!own) throw new GatewayError(errorCodes.invalidParams, `There is no tool ${called.name}.`);
      return own.call(this.client, called.args, follow);
    });
  }

  private now() {
    const { session, reach, person } = this.client;
    const { all, shown, away } = selectTools(this.deps, reach, session.found ?? []);
    const search = away.length > 0 ? [findTools(this.deps, reach, away, () => this.tellFound())] : [];
    const taken = new Set(all.map((given) => nameFor(given, reach)));
    const isFree = ({ listed, scope }: OwnTool) => hasScope(person, scope) && !taken.has(listed.name);
    return { shown, taken, own: [...search, ...ownTools(this.deps)].filter(isFree) };
  }

  private async tellFound(): Promise<void> {
    this.deps.store.bus.publish(`session:${this.client.session.id}`, "found");
  }
}
