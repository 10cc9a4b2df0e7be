import { z } from "zod";
import { rankTools } from "@/lib/agent/with-tool-selection";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { GivenTool } from "@/lib/mcp/offered-tools";
import { isTooMuchAtOnce, tokensOfTool } from "@/lib/protocol/count-tokens";
import type { BaseDeps } from "@/lib/server/base-deps";
import { nameFor, type Reach } from "./offered-tools";
import { type OwnTool, ownTool, tell } from "./own-tool";

type FindDeps = Pick<BaseDeps, "store"> & { pool: Pick<McpPool, "givenTools" | "isDeferred"> };

/** Names that its description lists, in characters. */
const maxDirectory = 6_000;
const maxFound = 10;
/** Tools of one session; those that were found first are searched for again. */
const maxKept = 200;

/** The tools of a program that are described at once, and those that it searches for, as in a chat. */
export function selectTools(
  { pool }: Pick<FindDeps, "pool">,
  reach: Reach,
  found: readonly string[],
): { all: GivenTool[]; shown: GivenTool[]; away: GivenTool[] } {
  const all = pool.givenTools(reach.servers);
  const atOnce = all.filter(({ name }) => !pool.isDeferred(name));
  const tokens = atOnce.reduce((sum, tool) => sum + tokensOfTool(tool), 0);
  const isTooMuch = isTooMuchAtOnce({ tools: atOnce.length, tokens }, undefined);
  const away = isTooMuch ? all : all.filter(({ name }) => pool.isDeferred(name));
  const hidden = new Set(away.filter(({ name }) => !found.includes(name)));
  return { all, shown: all.filter((tool) => !hidden.has(tool)), away };
}

/** In place of tools that are too many to be described at once: what it finds is listed from then on. */
export const findTools = (
  deps: FindDeps,
  reach: Reach,
  away: readonly GivenTool[],
  onFound: () => Promise<void>,
): OwnTool =>
  ownTool(
    {
      name: "search_tools",
      title: "Search tools",
      description: `Finds tools by what they do. ${away.length} tools can be used that are not all described here: search for what you need in a few words; what is found can be called from then on, also by a client that does not list tools again. Their names: ${directoryOf(away, reach)}`,
      annotations: { readOnlyHint: true, openWorldHint: false },
      scope: "mcp",
      args: z.strictObject({
        query: z.string().min(1).max(500).describe("What the tool should do, or a part of its name."),
      }),
    },
    async ({ session }, { query }) => {
      const matching = rankTools(away, query).slice(0, maxFound);
      if (matching.length === 0)
        return tell("No tool fits these words. Try others, or a name of the list.", { tools: [] });
      const names = matching.map(({ name }) => name);
      await deps.store.gatewaySessions.change(session.id, ({ found = [], ...others }) => ({
        ...others,
        found: [...new Set([...found, ...names])].slice(-maxKept),
      }));
      await onFound();
      const tools = matching.map((tool) => ({
        ...{ name: nameFor(tool, reach), description: tool.description, inputSchema: tool.inputSchema },
      }));
      const lines = tools.map(
        ({ name, description, inputSchema }) => `- ${name}: ${description}\n  ${JSON.stringify(inputSchema)}`,
      );
      return tell(`Can be called from now on:\n${lines.join("\n")}`, { tools });
    },
  );

function directoryOf(away: readonly GivenTool[], reach: Reach): string {
  const names = away.map((tool) => nameFor(tool, reach)).join(", ");
  return names.length > maxDirectory ? `${names.slice(0, maxDirectory)}, …` : names;
}
