import { type Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { headerFault } from "./header-parameters";
import type { LogRing } from "./log-ring";
import { readTool, type ServerTool } from "./server-tool";

const maxPages = 64;
const maxEntries = 2_000;
export const listTimeoutMs = 20_000;

const kinds = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
} as const;
type ListMethod = keyof typeof kinds;

/** Loose on purpose: one entry that is not as it should be must not cost the others. */
const pageSchema = z.looseObject({ nextCursor: z.string().optional() });

/** The tools of a connected server, in an order that does not depend on the server; what is wrong with one is logged. */
export async function listTools(client: Client, log: LogRing, signal?: AbortSignal): Promise<ServerTool[]> {
  if (!client.getServerCapabilities()?.tools) return [];
  // Arguments as headers are a thing of the newer wire over HTTP.
  const sendsHeaders =
    client.getProtocolEra() === "modern" && client.transport instanceof StreamableHTTPClientTransport;
  const found = new Map<string, ServerTool>();
  for (const entry of await listAll(client, "tools/list", log, signal)) {
    const tool = readTool(entry);
    const headers = sendsHeaders && "inputSchema" in tool ? headerFault(tool.inputSchema) : undefined;
    if (headers && "name" in tool) log.add("host", `A tool is left out. ${tool.name}: ${headers}`);
    else if ("fault" in tool) log.add("host", `A tool is left out. ${tool.fault}`);
    else if (found.has(tool.name))
      log.add("host", `The tool ${tool.name} is listed twice; the first counts.`);
    else found.set(tool.name, tool);
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** How many prompts and resources there are; zero where that cannot be found out. */
export async function countOthers(
  client: Client,
  log: LogRing,
): Promise<{ prompts: number; resources: number }> {
  const can = client.getServerCapabilities();
  const count = async (method: ListMethod) =>
    (
      await listAll(client, method, log).catch((cause) => {
        log.add("host", `${method} failed: ${cause}`);
        return [];
      })
    ).length;
  return {
    prompts: can?.prompts ? await count("prompts/list") : 0,
    resources: can?.resources ? await count("resources/list") : 0,
  };
}

/** All pages up to a bound; a server that never ends, or turns in a circle, is cut off. */
async function listAll(
  client: Client,
  method: ListMethod,
  log: LogRing,
  signal?: AbortSignal,
): Promise<unknown[]> {
  const all: unknown[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let count = 0; count < maxPages && all.length < maxEntries; count++) {
    const params = cursor === undefined ? {} : { cursor };
    const options = { timeout: listTimeoutMs, ...(signal && { signal }) };
    const page = await client.request({ method, params }, pageSchema, options);
    const entries = page[kinds[method]];
    if (!Array.isArray(entries)) throw new Error(`The answer to ${method} has no list of ${kinds[method]}.`);
    all.push(...entries.slice(0, maxEntries - all.length));
    cursor = page.nextCursor;
    if (cursor === undefined) return all;
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  log.add("host", `${method} did not come to an end; the first ${all.length} entries count.`);
  return all;
}
