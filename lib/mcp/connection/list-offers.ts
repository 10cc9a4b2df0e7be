import {
  type Client,
  ProtocolError,
  ProtocolErrorCode,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import type { Skill } from "@modelcontextprotocol/client/ext/skills";
import { z } from "zod";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import { countParts } from "@/lib/protocol/count-parts";
import type { McpPromptItem, McpResourceItem } from "@/lib/protocol/mcp-offers";
import { headerFault } from "./header-parameters";
import { readTool, type ServerTool } from "./server-tool";
import { listSkills } from "./skills";

const maxPages = 64;
const maxEntries = 2_000;
/** Of one whole listing, as JSON: it stays in memory as long as the server is in the file. */
const maxCharacters = 8 * 1024 * 1024;
export const listTimeoutMs = 20_000;

const kinds = {
  "tools/list": "tools",
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
} as const;
type ListMethod = keyof typeof kinds;

/** Loose on purpose: an invalid entry must not cost the others. */
const pageSchema = z.looseObject({ nextCursor: z.string().optional() });

/** The deepest nesting of a tool's schema. */
const maxDepth = 200;
/** Faults that are shown for one listing; nobody reads more. */
const maxFaults = 50;

export interface ToolListing {
  /** Sorted by name, so that the order does not depend on the server. */
  tools: ServerTool[];
  /** A sentence for each tool that cannot be used, and for a list that was cut off. */
  faults: string[];
}

/** The tools of a connected server; an invalid one is logged and left out. */
export async function listTools(client: Client, log: LogRing, signal?: AbortSignal): Promise<ToolListing> {
  const faults: string[] = [];
  if (!client.getServerCapabilities()?.tools) return { tools: [], faults };
  const leaveOut = (fault: string) => {
    log.add("host", `A tool is left out. ${fault}`);
    if (faults.length < maxFaults) faults.push(fault);
  };
  // Only the newer wire over HTTP sends arguments as headers.
  const sendsHeaders =
    client.getProtocolEra() === "modern" && client.transport instanceof StreamableHTTPClientTransport;
  const found = new Map<string, ServerTool>();
  const { entries, fault } = await listAll(client, "tools/list", log, signal);
  if (fault) faults.push(fault);
  for (const entry of entries) {
    const tool = readTool(entry);
    const headers = sendsHeaders && "inputSchema" in tool ? headerFault(tool.inputSchema) : undefined;
    if (headers && "name" in tool) leaveOut(`${tool.name}: ${headers.fault}`);
    else if ("fault" in tool) leaveOut(tool.fault);
    else if (found.has(tool.name))
      log.add("host", `The tool ${tool.name} is listed twice; the first counts.`);
    else found.set(tool.name, tool);
  }
  return { tools: [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), faults };
}

/** What a server offers besides tools; a list that cannot be read is empty. */
export interface Library {
  prompts: Omit<McpPromptItem, "server">[];
  resources: Omit<McpResourceItem, "server">[];
  templates: Omit<McpResourceItem, "server">[];
  skills: Skill[];
}

export async function listLibrary(client: Client, log: LogRing): Promise<Library> {
  const can = client.getServerCapabilities();
  const orNone = (method: string) => (cause: unknown) => {
    // Templates have no capability: a server without any may not know the method.
    const isUnknown = cause instanceof ProtocolError && cause.code === ProtocolErrorCode.MethodNotFound;
    if (method !== "resources/templates/list" || !isUnknown) log.add("host", `${method} failed: ${cause}`);
    return [];
  };
  const entries = (method: ListMethod) =>
    listAll(client, method, log).then((listing) => listing.entries, orNone(method));
  const [prompts, resources, templates, skills] = await Promise.all([
    can?.prompts ? entries("prompts/list") : [],
    can?.resources ? entries("resources/list") : [],
    can?.resources ? entries("resources/templates/list") : [],
    listSkills(client, log, listTimeoutMs).catch(orNone("skills/list")),
  ]);
  return {
    skills,
    prompts: prompts.flatMap((entry) => promptSchema.safeParse(entry).data ?? []),
    resources: resources.flatMap((entry) => resourceSchema.safeParse(entry).data ?? []),
    templates: templates.flatMap((entry) => templateSchema.safeParse(entry).data ?? []),
  };
}

const short = z.string().max(1_000);
const text = z
  .string()
  .max(10_000)
  .nullish()
  .transform((value) => value ?? null)
  .catch(null);

const promptSchema = z.object({
  name: short,
  title: text,
  description: text,
  arguments: z
    .array(
      z.object({
        name: short,
        title: text,
        description: text,
        required: z.boolean().nullish().transform(Boolean),
      }),
    )
    .max(100)
    .nullish()
    .transform((list) => list ?? []),
});

const about = {
  name: short,
  title: text,
  description: text,
  mimeType: text,
  size: z
    .number()
    .nullish()
    .transform((value) => value ?? null)
    .catch(null),
};
const resourceSchema = z
  .object({ uri: z.string().max(8_000), ...about })
  .transform(({ mimeType: mediaType, ...rest }) => ({ ...rest, mediaType }));
const templateSchema = z
  .object({ uriTemplate: z.string().max(8_000), ...about })
  .transform(({ uriTemplate: uri, mimeType: mediaType, ...rest }) => ({ ...rest, uri, mediaType }));

/** Length as JSON; an entry that is nested too deep counts as a quarter of the limit. */
const lengthOf = (entry: unknown): number =>
  countParts(entry, maxDepth, maxCharacters) === undefined ? maxCharacters / 4 : JSON.stringify(entry).length;

/** All pages up to a limit; a server whose pages never end or repeat is cut off. */
async function listAll(
  client: Client,
  method: ListMethod,
  log: LogRing,
  signal?: AbortSignal,
): Promise<{ entries: unknown[]; fault?: string }> {
  const all: unknown[] = [];
  let characters = 0;
  const cursors = new Set<string>();
  let cursor: string | undefined;
  for (let count = 0; count < maxPages && all.length < maxEntries; count++) {
    const params = cursor === undefined ? {} : { cursor };
    const options = { timeout: listTimeoutMs, ...(signal && { signal }) };
    const page = await client.request({ method, params }, pageSchema, options);
    const entries = page[kinds[method]];
    if (!Array.isArray(entries)) throw new Error(`The answer to ${method} has no list of ${kinds[method]}.`);
    for (const entry of entries.slice(0, maxEntries - all.length)) {
      characters += lengthOf(entry);
      if (characters > maxCharacters) break;
      all.push(entry);
    }
    if (characters > maxCharacters) {
      const fault = `The answer to ${method} is longer than ${maxCharacters / 1024 / 1024} MB; the first ${all.length} entries count.`;
      log.add("host", fault);
      return { entries: all, fault };
    }
    cursor = page.nextCursor;
    if (cursor === undefined) return { entries: all };
    if (cursors.has(cursor)) break;
    cursors.add(cursor);
  }
  const fault = `${method} did not come to an end; the first ${all.length} entries count.`;
  log.add("host", fault);
  return { entries: all, fault };
}
