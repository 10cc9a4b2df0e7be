import type { CalledTool, CallFollower, ListedTool, McpAnswer } from "@/lib/mcp/gateway/offer";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import { hasScope } from "@/lib/server/http/guard";
import { type CallingClient, callTool, toldToClient } from "./call-tool";
import { findTools, selectTools } from "./find-tools";
import { nameFor, toListed } from "./offered-tools";
import type { OwnDeps, OwnTool } from "./own-tool";
import { ownNames, ownTools } from "./own-tools";

export type ToolboxDeps = OwnDeps & { pool: Pick<McpPool, "givenTools" | "isDeferred"> };

/** The tools of one client: those of its servers, or the search for them, and Meguri's own. A name of a server wins. */
export class OfferedToolbox {
  constructor(
    private readonly deps: ToolboxDeps,
    private readonly client: CallingClient,
  ) {}

  list(): ListedTool[] {
    const { shown, own } = this.now();
    return [...own.map(({ listed }) => listed), ...shown.map((given) => toListed(given, this.client.reach))];
  }

  async call(called: CalledTool, follow: CallFollower): Promise<McpAnswer> {
    if (!ownNames.has(called.name)) return callTool(this.deps, this.client, called, follow);
    const own = this.now().own.find(({ listed }) => listed.name === called.name);
    if (!own) return callTool(this.deps, this.client, called, follow);
    return toldToClient(this.deps, () => own.call(this.client, called.args, follow));
  }

  private now() {
    const { session, reach, person } = this.client;
    const { all, shown, away } = selectTools(this.deps, reach, session.found ?? []);
    const search = away.length > 0 ? [findTools(this.deps, reach, away, () => this.tellFound())] : [];
    const taken = new Set(all.map((given) => nameFor(given, reach)));
    const isFree = ({ listed, scope }: OwnTool) => hasScope(person, scope) && !taken.has(listed.name);
    return { shown, own: [...search, ...ownTools(this.deps)].filter(isFree) };
  }

  private async tellFound(): Promise<void> {
    this.deps.store.bus.publish(`session:${this.client.session.id}`, "found");
  }
}
