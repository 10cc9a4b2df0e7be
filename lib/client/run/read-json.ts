import type { ToolContent } from "@/lib/protocol/message";

/** Deeper JSON is shown as plain text: neither a tree nor indentation would make it readable. */
const maxDepth = 100;

/**
 * JSON that a server sent as text; undefined when it is not JSON or nested deeper than 100 levels. Whole numbers that
 * JavaScript would round, such as ids of 19 digits, become strings of their digits.
 */
export function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text) || isTooDeep(text)) return undefined;
  try {
    return /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isTooDeep(text: string): boolean {
  let depth = 0;
  // An unclosed string reaches to the end of the text: otherwise each quote in it would start another search.
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\[\s\S][^"\\]*)*"?|[[\]{}]/g)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    if (depth > maxDepth) return true;
  }
  return false;
}

/** Engines without `source` (ES2026) round such numbers, as JSON.parse always did. */
const keepDigits = (_key: string, value: unknown, context?: { source?: string }): unknown =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? (context?.source ?? value) : value;

/** The text parts of a result as JSON: the value of one part, a list for several; undefined when one is not JSON. */
export function jsonOf(content: readonly ToolContent[]): unknown {
  const texts = content.flatMap((part) => (part.type === "text" ? part.text : []));
  if (texts.length <= 1) return parsed(texts[0] ?? "");
  const values = texts.map(parsed);
  return values.includes(undefined) ? undefined : values;
}

/** Whether structured content repeats the text: the same value, or that value under one name. */
export function repeats(structured: unknown, content: readonly ToolContent[]): boolean {
  const inText = jsonOf(content);
  const values = [structured, onlyValue(structured)];
  if (inText !== undefined) return values.some((value) => JSON.stringify(value) === JSON.stringify(inText));
  return onlyValue(structured) === onlyText(content);
}

function onlyValue(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const values = Object.values(value);
  return values.length === 1 ? values[0] : undefined;
}

/** All text of a result, joined. */
export function onlyText(content: readonly ToolContent[]): string {
  return content.flatMap((part) => (part.type === "text" ? part.text : [])).join("\n");
}

/** JSON with a line for each value, and every number and string exactly as it was written; other text as it came. */
export function indentJson(text: string): string {
  if (parsed(text) === undefined) return text;
  let depth = 0;
  let before = "";
  let written = "";
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|[^\s"[\]{},:]+|[[\]{},:]/g)) {
    const closes = token === "]" || token === "}";
    const opened = before === "[" || before === "{";
    if (closes) depth -= 1;
    if ((opened && !closes) || (closes && !opened) || before === ",") written += `\n${"  ".repeat(depth)}`;
    written += token === ":" ? ": " : token;
    if (token === "[" || token === "{") depth += 1;
    before = token;
  }
  return written;
}
