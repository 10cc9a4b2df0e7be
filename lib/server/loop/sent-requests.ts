import { hash as hashOf } from "node:crypto";
import type { ToolSpec, Turn } from "@/lib/agent/ports";
import type { SentParams, SentRequest } from "@/lib/protocol/chunk";
import { knobsOf, type ModelKnobs } from "@/lib/protocol/settings";

/** Characters of one content, and of all that one run names: what goes beyond is not kept. */
export const maxContent = 1_000_000;
export const maxPerRun = 4_000_000;

export interface SentBy {
  model: string;
  /** Those of the run; a turn can say otherwise. */
  knobs: ModelKnobs;
  window: number | undefined;
}

/** A system prompt, or a list of tools as JSON. */
interface Content {
  hash: string | null;
  body: string;
}

/**
 * Tells the log what each turn is sent, with each content once. What has not changed since the turn before is not hashed
 * again: tools are the same while their names and schemas are the same objects.
 */
export function recordRequests({ model, knobs, window }: SentBy): (sent: Turn) => SentRequest {
  const told = new Set<string>();
  let characters = 0;
  let system: { text: string; content: Content } | undefined;
  let tools: { list: readonly ToolSpec[]; content: Content } | undefined;

  const toContent = (body: string): Content => {
    if (body.length > maxContent) return { hash: null, body };
    const hash = hashContent(body);
    if (!told.has(hash) && characters + body.length > maxPerRun) return { hash: null, body };
    return { hash, body };
  };
  const tell = (contents: Record<string, string>, { hash, body }: Content): void => {
    if (hash === null || told.has(hash)) return;
    told.add(hash);
    characters += body.length;
    contents[hash] = body;
  };
  return (sent) => {
    const contents: Record<string, string> = {};
    if (system?.text !== sent.system) system = { text: sent.system, content: toContent(sent.system) };
    tell(contents, system.content);
    if (!tools || !isSameList(tools.list, sent.tools))
      tools = { list: sent.tools, content: toContent(writeTools(sent.tools)) };
    tell(contents, tools.content);
    return {
      type: "request",
      system: system.content.hash,
      tools: tools.content.hash,
      params: paramsOf(knobs, sent),
      model,
      ...(window !== undefined && { window }),
      ...(Object.keys(contents).length > 0 && { contents }),
    };
  };
}

/** SHA-256, as contents of requests are named by it. */
export const hashContent = (body: string): string => hashOf("sha256", body, "base64url");

const writeTools = (tools: readonly ToolSpec[]): string =>
  JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));

const isSameList = (before: readonly ToolSpec[], now: readonly ToolSpec[]): boolean =>
  before === now ||
  (before.length === now.length &&
    before.every((tool, at) => {
      const other = now[at];
      return (
        tool === other ||
        (tool.name === other?.name &&
          tool.inputSchema === other.inputSchema &&
          tool.description === other.description)
      );
    }));

const paramsOf = (knobs: ModelKnobs, sent: Turn): SentParams => ({
  ...knobs,
  ...knobsOf(sent),
  ...(sent.toolChoice !== undefined && { toolChoice: sent.toolChoice }),
  ...(sent.responseSchema && { hasResponseSchema: true }),
});
