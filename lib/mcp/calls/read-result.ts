import { isDeepStrictEqual } from "node:util";
import { dereference, type SchemaDraft, validate } from "@cfworker/json-schema";
import type { CallToolResult } from "@modelcontextprotocol/client";
import type { ServerTool } from "@/lib/mcp/connection/server-tool";
import { boundSchema, limitReads, referenceLimit } from "@/lib/protocol/bounded-schema";
import { countParts } from "@/lib/protocol/count-parts";
import type { ToolContent, ToolResult } from "@/lib/protocol/message";
import { runLimits } from "@/lib/protocol/run-limits";

/** Kept of one result; the rest is cut, with a sentence that says so. */
const maxBytes = runLimits.chat.resultBytes;
/** Of its images and other files, in base64 characters; the application keeps large ones beside the log. */
const maxFiles = runLimits.chat.resultFileBytes;
const maxParts = 1_000;
const maxDepth = 200;

export type Outcome = Omit<ToolResult, "id">;

/** What an app of the server may find beside its result. */
const maxMeta = 64 * 1024;

/** The answer of a server as the run keeps it: bounded, and `structured` only when it fits the tool's output schema. */
export function readResult(answer: CallToolResult, { tool, mayEscalate }: ResultTarget): Outcome {
  const { _meta: meta } = answer;
  const read = readAnswer(answer, tool.outputSchema);
  const escalates = mayEscalate && read.status === "ok" && meta?.[escalateKey] === true;
  const outcome: Outcome = escalates ? { ...read, escalates } : read;
  if (!tool.ui || !meta || countParts(meta, maxDepth, maxMeta) === undefined) return outcome;
  return JSON.stringify(meta).length > maxMeta ? outcome : { ...outcome, meta };
}

/** In `_meta` of a result: the loop of agents in which the tool was called is to end. */
const escalateKey = "meguri/escalate";

interface ResultTarget {
  /** Of the server's entry. */
  readonly mayEscalate?: boolean | undefined;
  tool: Pick<ServerTool, "outputSchema"> & Partial<Pick<ServerTool, "ui">>;
}

function readAnswer(answer: CallToolResult, outputSchema: Record<string, unknown> | undefined): Outcome {
  const budget = { left: maxBytes, files: maxFiles };
  const content = readContent(answer.content ?? [], budget);
  const status = answer.isError ? "error" : "ok";
  const { structuredContent: structured } = answer;
  if (structured === undefined || repeats(structured, answer.content)) return { status, content };
  if (countParts(structured, maxDepth, maxBytes) === undefined)
    return { status, content: [...content, text("[Left out: structured content that is nested too deep.]")] };
  const misfit = answer.isError ? undefined : findMisfit(structured, outputSchema);
  if (misfit)
    return errorOutcome(`The server's structured result does not fit the schema it declares: ${misfit}`);
  const json = JSON.stringify(structured);
  if (Buffer.byteLength(json) > budget.left)
    return { status, content: [...content, text(`[Left out: structured content of ${size(json)}.]`)] };
  // The model reads content only.
  return { status, content: content.length > 0 ? content : [text(json)], structured };
}

/** Some servers send their blocks once more as structured content, images and all. */
function repeats(structured: unknown, blocks: readonly Block[] | undefined): boolean {
  if (typeof structured !== "object" || structured === null || !blocks?.some(({ type }) => type !== "text"))
    return false;
  const values = Object.values(structured);
  return values.length === 1 && isDeepStrictEqual(values[0], blocks);
}

/** The blocks of a prompt or a resource, bounded as those of a result are. */
export const readBlocks = (blocks: readonly Block[]): ToolContent[] =>
  readContent(blocks, { left: maxBytes, files: maxFiles });

export const errorOutcome = (message: string): Outcome => ({ status: "error", content: [text(message)] });

/** Of a call that was never sent. */
export const notRunOutcome = (message: string): Outcome => ({ ...errorOutcome(message), reason: "not_run" });

/** Of a call that was sent and has not come to an end; an `error` where repeating it does no harm. */
export const unfinishedOutcome = (status: "error" | "unknown", message: string): Outcome => ({
  status,
  reason: "unfinished",
  content: [text(message)],
});

interface ContentBudget {
  left: number;
  files: number;
}

type Block = CallToolResult["content"][number];

function readContent(blocks: readonly Block[], budget: ContentBudget): ToolContent[] {
  const kept = blocks.slice(0, maxParts);
  // What the server calls more important has its share of the budget first, and keeps its place.
  const content: ToolContent[] = [];
  for (const [at, block] of [...kept.entries()].sort(([, a], [, b]) => priorityOf(b) - priorityOf(a)))
    content[at] = addressed(readBlock(block, budget), block);
  if (blocks.length > maxParts) content.push(text(`[Left out: ${blocks.length - maxParts} more parts.]`));
  return content;
}

/** From 0 to 1; a block without a priority counts as 0.5. */
const priorityOf = ({ annotations }: Block) => annotations?.priority ?? 0.5;

/** Marks what is for the model alone or for the person alone. */
function addressed(part: ToolContent, { annotations }: Block): ToolContent {
  const [audience, ...others] = new Set(annotations?.audience);
  return audience && others.length === 0 ? { ...part, audience } : part;
}

function readBlock(block: Block, budget: ContentBudget): ToolContent {
  switch (block.type) {
    case "text":
      return text(cut(block.text, budget));
    case "image":
    case "audio":
      return file(block.data, block.mimeType, undefined, budget);
    case "resource_link":
      return {
        type: "resource_link",
        uri: cut(block.uri, budget),
        name: cut(block.name, budget),
        ...(block.title && { title: cut(block.title, budget) }),
        ...(block.description && { description: cut(block.description, budget) }),
        ...(block.mimeType && { mediaType: block.mimeType }),
      };
    case "resource": {
      const { resource } = block;
      if ("text" in resource) return text(cut(resource.text, budget));
      const name = resource.uri.split(/[/\\]/).at(-1);
      return file(resource.blob, resource.mimeType ?? "application/octet-stream", name, budget);
    }
  }
}

function file(data: string, mediaType: string, name: string | undefined, budget: ContentBudget): ToolContent {
  if (data.length > budget.files)
    return text(`[Left out: ${mediaType} of ${size(data)}, over the limit of 8 MB for one result.]`);
  if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(data))
    return text(`[Left out: ${mediaType} that is not valid base64.]`);
  budget.files -= data.length;
  return { type: "file", mediaType, data, ...(name && { name }) };
}

function cut(whole: string, budget: ContentBudget): string {
  const bytes = Buffer.byteLength(whole);
  if (bytes <= budget.left) {
    budget.left -= bytes;
    return whole;
  }
  // A character that is cut in two at the end is dropped. Of a text of many megabytes only as much is copied as can be
  // kept: a letter has at least one byte.
  const head = Buffer.from(whole.slice(0, budget.left))
    .subarray(0, budget.left)
    .toString("utf8")
    .replace(/\uFFFD$/, "");
  budget.left = 0;
  return `${head}\n[Cut here: this text has ${inMb(bytes)}, and one result keeps at most 1 MB.]`;
}

function findMisfit(value: unknown, schema: Record<string, unknown> | undefined): string | undefined {
  if (!schema) return undefined;
  try {
    const bounded = boundSchema(schema);
    const limit = bounded && referenceLimit(bounded, value);
    if (!bounded || limit === undefined) return undefined;
    const lookup = limitReads(dereference(bounded.schema), limit);
    const { valid, errors } = validate(value, bounded.schema, draftOf(schema), lookup, false);
    return valid ? undefined : (errors.at(-1)?.error ?? "it is not valid");
  } catch {
    return undefined; // A schema that cannot be read, or never ends, says nothing about the value.
  }
}

function draftOf({ $schema }: Record<string, unknown>): SchemaDraft {
  const dialect = String($schema);
  if (dialect.includes("draft-07")) return "7";
  if (dialect.includes("draft-04")) return "4";
  return dialect.includes("2019-09") ? "2019-09" : "2020-12";
}

const text = (content: string): ToolContent => ({ type: "text", text: content });
const size = (content: string) => inMb(Buffer.byteLength(content));
const inMb = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`;
