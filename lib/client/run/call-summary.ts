import { filledEntries, mainEntry } from "@/lib/protocol/main-argument";
import type { ToolContent } from "@/lib/protocol/message";
import { beginningOf } from "@/lib/protocol/redacted-text";
import { jsonOf, onlyText } from "./read-json";
import type { ToolView } from "./run-view";

/** The result in a few words, for the right end of a call's line. */
export type CallOutcome =
  | { kind: "rows" | "items" | "fields" | "images" | "files" | "links" | "lines"; count: number }
  | { kind: "text"; text: string }
  | { kind: "nothing" };

const maxArgChars = 160;

/** The main argument on one line, with two short ones more. */
export function mainArgument(args: Record<string, unknown>): string {
  const first = mainEntry(args);
  if (!first) return "";
  const [name, value] = first;
  const text = inWords(value);
  const others = filledEntries(args).filter(([key, other]) => key !== name && typeof other !== "object");
  const more = others.slice(0, 2).map(([key, other]) => `${key}=${inWords(other)}`);
  return clip([text, ...more].filter(Boolean).join(", "));
}

function inWords(value: unknown): string {
  if (typeof value === "string") return value.replace(/\s+/g, " ").trim();
  if (Array.isArray(value)) return value.map(named).filter(Boolean).join(", ");
  return JSON.stringify(value);
}

function named(value: unknown): string {
  if (typeof value !== "object" || value === null) return inWords(value);
  const { name, title, entityName, id } = value as Record<string, unknown>;
  const label = name ?? title ?? entityName ?? id;
  return typeof label === "string" ? label : JSON.stringify(value);
}

const clip = (text: string) => (text.length > maxArgChars ? `${beginningOf(text, maxArgChars)}…` : text);

/** The result of a call, in the most telling way. */
export function outcomeOf(tool: ToolView): CallOutcome {
  const { result } = tool;
  if (result?.status !== "ok") return { kind: "nothing" };
  const data = result.structured ?? jsonOf(result.content);
  const rows = rowsOf(data);
  if (rows) return { kind: "rows", count: rows.length };
  const entries = entriesIn(data);
  if (entries !== undefined) return { kind: "items", count: entries };
  for (const [kind, is] of counted) {
    const count = result.content.filter(is).length;
    if (count > 0) return { kind, count };
  }
  const text = onlyText(result.content).trim();
  const lines = text === "" ? 0 : text.split("\n").length;
  if (lines === 1 && text.length <= 40) return { kind: "text", text };
  const fields = typeof data === "object" && data !== null ? Object.keys(data).length : 0;
  if (fields > 0) return { kind: "fields", count: fields };
  return lines > 1 ? { kind: "lines", count: lines } : { kind: "nothing" };
}

/** The number of entries in a list, or in the lists of an object that has nothing else. */
function entriesIn(data: unknown): number | undefined {
  if (Array.isArray(data)) return data.length;
  if (typeof data !== "object" || data === null) return undefined;
  const values = Object.values(data);
  return values.length > 0 && values.every(Array.isArray)
    ? values.reduce((count, list) => count + list.length, 0)
    : undefined;
}

const counted: [kind: "images" | "files" | "links", is: (part: ToolContent) => boolean][] = [
  ["images", (part) => part.type === "file" && part.mediaType.startsWith("image/")],
  ["files", (part) => part.type === "file"],
  ["links", (part) => part.type === "resource_link"],
];

/** Rows for a table: a list of flat objects, or an object whose only value is such a list. */
export function rowsOf(value: unknown): Record<string, unknown>[] | undefined {
  if (Array.isArray(value)) return isRows(value) ? value : undefined;
  if (typeof value !== "object" || value === null) return undefined;
  const values = Object.values(value);
  return values.length === 1 && isRows(values[0]) ? values[0] : undefined;
}

/** More do not fit the page; such a list is shown as a tree instead. */
const maxColumns = 12;

function isRows(value: unknown): value is Record<string, unknown>[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => typeof row === "object" && row !== null && !Array.isArray(row) && isFlat(row)) &&
    new Set(value.flatMap((row) => Object.keys(row))).size <= maxColumns
  );
}

const isFlat = (row: object) => {
  const values = Object.values(row);
  return (
    values.length > 0 &&
    values.length <= 8 &&
    values.every((cell) => typeof cell !== "object" || cell === null || isWords(cell))
  );
};

/** A list of strings fits a cell. */
const isWords = (cell: object) => Array.isArray(cell) && cell.every((word) => typeof word === "string");
