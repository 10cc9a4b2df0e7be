import { hash as hashOf } from "node:crypto";
import { z } from "zod";
import type { ToolSpec, Turn } from "@/lib/agent/ports";
import type { SentParams, SentRequest } from "@/lib/protocol/sent-request";
import { knobsOf, type ModelKnobs } from "@/lib/protocol/settings";
import type { WireRecording } from "./wire-recording";

/** Characters of one content, and of all that one run names: what goes beyond is not kept. */
export const maxContent = 1_000_000;
export const maxPerRun = 4_000_000;

export interface SentBy {
  model: string;
  /** Those of the run; a turn can say otherwise. */
  knobs: ModelKnobs;
  window: number | undefined;
  /** Names the turns that are recorded. */
  wire?: Pick<WireRecording, "name"> | undefined;
}

/**
 * Tells the log what each turn is sent, with each content once. What has not changed since the turn before is not hashed
 * again: tools are the same while their names and schemas are the same objects.
 */
export function recordRequests({ model, knobs, window, wire }: SentBy): (sent: Turn) => SentRequest {
  const named = new Set<string>();
  let characters = 0;
  let system: { text: string; hash: string | null } | undefined;
  let tools: { list: readonly ToolSpec[]; hash: string | null } | undefined;

  /** The hash of a content, which `contents` gains when it is new; null for what is not kept. */
  const name = (
    { body, hash }: { body: string; hash: string | null },
    contents: Record<string, string>,
  ): string | null => {
    if (hash === null) return null;
    if (named.has(hash)) return hash;
    if (characters + body.length > maxPerRun) return null;
    named.add(hash);
    characters += body.length;
    contents[hash] = body;
    return hash;
  };
  return (sent) => {
    const contents: Record<string, string> = {};
    if (system?.text !== sent.system)
      system = { text: sent.system, hash: name(toContent(sent.system), contents) };
    if (!tools || !isSameList(tools.list, sent.tools))
      tools = { list: sent.tools, hash: name(toolsContent(sent.tools), contents) };
    return {
      type: "request",
      system: system.hash,
      tools: tools.hash,
      params: paramsOf(knobs, sent),
      model,
      ...(window !== undefined && { window }),
      ...(wire && { wire: wire.name(sent) }),
      ...(Object.keys(contents).length > 0 && { contents }),
    };
  };
}

/** SHA-256, as contents of requests are named by it. */
export const hashContent = (body: string): string => hashOf("sha256", body, "base64url");

/** No hash is needed of what is not kept. */
const toContent = (body: string) => ({ body, hash: body.length > maxContent ? null : hashContent(body) });

/** Of any run: most runs that follow each other offer the same tools, and their JSON is long. */
let newestTools: { list: readonly ToolSpec[]; content: ReturnType<typeof toContent> } | undefined;

function toolsContent(list: readonly ToolSpec[]): ReturnType<typeof toContent> {
  if (newestTools && isSameList(newestTools.list, list)) return newestTools.content;
  const content = toContent(writeTools(list));
  newestTools = content.hash === null ? undefined : { list: [...list], content };
  return content;
}

const writeTools = (tools: readonly ToolSpec[]): string =>
  JSON.stringify(tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })));

/** What came with a file may be anything. */
export function readTools(body: string | null): ToolSpec[] | null {
  try {
    return body === null ? null : Tools.parse(JSON.parse(body));
  } catch {
    return null;
  }
}

const Tools = z.array(
  z.object({ name: z.string(), description: z.string(), inputSchema: z.record(z.string(), z.unknown()) }),
);

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
