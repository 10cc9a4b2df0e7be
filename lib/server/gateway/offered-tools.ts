import type { ListedTool } from "@/lib/mcp/gateway/offer";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import type { GivenTool } from "@/lib/mcp/offered-tools";
import type { TokenOptions } from "@/lib/protocol/api-tokens";

type ToolDeps = { pool: Pick<McpPool, "givenTools"> };

/** What a program reaches, and under which names. */
export type Reach = { [Field in "servers" | "names"]: TokenOptions[Field] | undefined };

/** The tool that a program calls by this name. */
export const findTool = ({ pool }: ToolDeps, reach: Reach, name: string): GivenTool | undefined =>
  pool.givenTools(reach.servers).find((given) => nameFor(given, reach) === name);

export const nameFor = ({ name, tool }: GivenTool, reach: Reach): string => (isPlain(reach) ? tool : name);

/** Names are those of the server, where the program was given that one alone. */
export const isPlain = ({ names, servers }: Reach): boolean => names === "plain" && servers?.length === 1;

/** As `tools/list` tells it. */
export function toListed(given: GivenTool, reach: Reach): ListedTool {
  const { title, description, inputSchema, outputSchema, annotations, ui } = given;
  return {
    name: nameFor(given, reach),
    ...(title !== undefined && { title }),
    ...{ description, inputSchema: { ...inputSchema, type: "object" } },
    ...(outputSchema && { outputSchema: { ...outputSchema, type: "object" } }),
    ...(annotations && { annotations: { ...annotations } }),
    ...(ui?.resourceUri !== undefined && { _meta: { ui: { resourceUri: ui.resourceUri } } }),
  };
}
