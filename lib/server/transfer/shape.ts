import { Readable } from "node:stream";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { LeftOut, LeftOutKind } from "@/lib/protocol/imports";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { ImportedFile } from "./imported";
import { messageId } from "./order-tree";

/** What stands in a file and has no form that could be relied on. */
export type JsonObject = Record<string, unknown>;

/** A conversation that cannot be what its file says; the others can be read. The sentence names the place. */
export class BrokenConversation extends Error {
  override name = "BrokenConversation";
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const toObject = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const toList = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

export const toObjects = (value: unknown): JsonObject[] => toList(value).filter(isObject);

export const toText = (value: unknown): string => (typeof value === "string" ? value : "");

/** The first that is a text with something in it. */
export const firstText = (...values: unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === "string" && value !== "");

/** Epoch ms out of seconds, milliseconds or a date in words; NaN where there is none. */
export function toMs(value: unknown): number {
  if (typeof value === "string") return Date.parse(value);
  if (typeof value !== "number" || !Number.isFinite(value)) return Number.NaN;
  return value < 100_000_000_000 ? Math.round(value * 1000) : Math.round(value);
}

/** Counts what is not taken over. */
export class LeftOuts {
  private readonly counts = new Map<LeftOutKind, number>();

  add(what: LeftOutKind, count = 1): void {
    if (count > 0) this.counts.set(what, (this.counts.get(what) ?? 0) + count);
  }

  list(): LeftOut[] {
    return [...this.counts].map(([what, count]) => ({ what, count }));
  }
}

/** As every provider takes it in a history. */
export const toToolName = (name: string): string =>
  name
    .slice(0, 1_000)
    .replaceAll(/[^\w-]+/g, "_")
    .replaceAll(/^_+|_+$/g, "")
    .slice(0, 64) || "tool";

export const toCallId = (id: string): ToolCallId => messageId(id) as ToolCallId;

const maxDepth = 100;

/** Arguments as our calls have them: an object that is not nested without end. Other values are put into one. */
export function toArgs(value: unknown, field = "input"): ToolCall["args"] {
  if (typeof value === "string") {
    const parsed = parseJson(value);
    if (isObject(parsed)) return toArgs(parsed, field);
    return value === "" ? {} : { [field]: value };
  }
  if (value === undefined || value === null) return {};
  if (!isShallow(value)) return {};
  return isObject(value) ? value : { [field]: value };
}

/** A value as a person or a model reads it. */
export function writeValue(value: unknown): string {
  if (typeof value === "string") return value;
  if (value === undefined || value === null || !isShallow(value)) return "";
  return JSON.stringify(value, null, 2);
}

/** `JSON.stringify` goes down by recursion. */
function isShallow(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) return false;
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return true;
}

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const textResult = (
  id: ToolCallId,
  text: string,
  status: ToolResult["status"] = "ok",
): ToolResult => ({
  id,
  status,
  content: text === "" ? [] : [{ type: "text", text }],
});

/** A file whose text stands in the export; a PDF of which only the words are left is a text. */
export function textFile(id: string, name: string, text: string): ImportedFile {
  const isText = /\.(txt|md|csv|json|html?|xml|ya?ml|py|js|ts|tsx|jsx|css|sql|sh|log)$/i.test(name);
  return {
    id,
    name: isText ? name : `${name || "file"}.txt`,
    mediaType: "text/plain",
    size: Buffer.byteLength(text),
    open: async () => Readable.from([Buffer.from(text)]),
  };
}

/** A file inside of the JSON; undefined for an address elsewhere, which nothing is fetched from. */
export function dataFile(id: string, name: string | undefined, url: string): ImportedFile | undefined {
  const head = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=.+-]+)*;base64,/i.exec(url.slice(0, 300));
  if (!head) return undefined;
  const mediaType = head[1]?.toLowerCase() ?? "application/octet-stream";
  const size = Math.floor(((url.length - head[0].length) * 3) / 4);
  return {
    id,
    name: name ?? `${mediaType.split("/")[0]}.${mediaType.split("/")[1]?.replace("jpeg", "jpg")}`,
    mediaType,
    size,
    open: async () => Readable.from([Buffer.from(url.slice(head[0].length), "base64")]),
  };
}
