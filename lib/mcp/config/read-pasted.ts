import { parse as parseToml, TomlError } from "smol-toml";
import { type Document, isScalar, LineCounter, parseDocument, visit, type YAMLError } from "yaml";
import { ConfigFault, McpConfigError } from "./config-fault";
import { parseCommentedJson, parseStrictJson } from "./strict-json";

/** YAML is far slower to read than JSON (100 µs for each fault), and no configuration is this long. */
const maxYaml = 50_000;
const maxAliases = 20;
const maxToml = 200_000;

export interface Pasted {
  value: unknown;
  isYaml: boolean;
}

/**
 * JSON (also with comments), a part of an object without its braces, the line of an `.env` file, TOML or YAML; throws
 * `McpConfigError` with the line.
 */
export function readPasted(text: string): Pasted {
  const body = assignedIn(text.replace(/^\uFEFF/, ""));
  try {
    if (isToml(body)) return { value: readToml(body), isYaml: false };
    const start = body.slice(skipComments(body));
    if (/^[[{]/.test(start)) return { value: parseCommentedJson(body), isYaml: false };
    if (/^"[^"\n]*"\s*:/.test(start)) return { value: parseCommentedJson(`{${body}\n}`), isYaml: false };
    return { value: readYaml(body), isYaml: true };
  } catch (cause) {
    if (!(cause instanceof ConfigFault)) throw cause;
    const { line, message } = cause;
    throw new McpConfigError("invalid", line === null ? message : `Line ${line}: ${message}`);
  }
}

/**
 * The value of `MCP_SERVERS` if the text is a line of an `.env` file, else the whole text. Compares characters: a
 * pattern that looks for the closing quote takes minutes for a hostile text.
 */
function assignedIn(text: string): string {
  const [assignment] = /^\s*(?:export\s+)?MCP_SERVERS\s*=/.exec(text) ?? [];
  if (assignment === undefined) return text;
  const value = text.slice(assignment.length).trim();
  const quote = value.charAt(0);
  const isQuoted = value.length > 1 && "'\"`".includes(quote) && value.endsWith(quote);
  return isQuoted ? value.slice(1, -1) : value;
}

/** Where the comments before the first value end. */
function skipComments(text: string): number {
  const comment = /\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
  let end = 0;
  while (comment.test(text)) end = comment.lastIndex;
  return end;
}

/** A table or a name of Codex's configuration; JSON has neither. */
const isToml = (text: string): boolean => /^[ \t]*(?:\[{1,2}[ \t]*)?mcp_servers[ \t]*[.\]=]/m.test(text);

function readToml(text: string): unknown {
  if (text.length > maxToml)
    throw new ConfigFault(
      `It is too long for TOML; at most ${maxToml / 1_000} KB are read. Make it smaller.`,
    );
  try {
    return cleanCopy(parseToml(text));
  } catch (cause) {
    if (cause instanceof TomlError) throw new ConfigFault("This line is not valid TOML.", cause.line);
    throw cause instanceof ConfigFault
      ? cause
      : new ConfigFault("It is nested too deeply to be a configuration.");
  }
}

function readYaml(text: string): unknown {
  if (text.length > maxYaml)
    throw new ConfigFault(
      `It is too long for YAML; at most ${maxYaml / 1_000} KB are read. Make it smaller.`,
    );
  const lines = new LineCounter();
  let value: unknown;
  try {
    // Turned off because they take quadratic time: an excerpt for each fault, and comparing each name with all names
    // before it.
    const without = { prettyErrors: false, uniqueKeys: false };
    const document = parseDocument(text, { lineCounter: lines, version: "1.2", merge: false, ...without });
    const [error] = document.errors;
    if (error) throw new ConfigFault(explain(error), lines.linePos(error.pos[0]).line);
    const second = secondOfName(document);
    if (second !== undefined) throw new ConfigFault(standsTwice, lines.linePos(second).line);
    value = document.toJS({ maxAliasCount: maxAliases });
  } catch (cause) {
    if (cause instanceof ConfigFault) throw cause;
    throw new ConfigFault(
      cause instanceof ReferenceError
        ? "It uses aliases (*name) too often. Write the values out."
        : "It is nested too deeply to be a configuration.",
    );
  }
  if (typeof value !== "object" || value === null)
    throw new ConfigFault("This is not a configuration. Paste JSON or YAML with the servers in it.");
  return cleanCopy(value);
}

/** The line where a name occurs for the second time in its map. */
function secondOfName(document: Document): number | undefined {
  let second: number | undefined;
  visit(document, {
    Map(_key, { items }) {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value)) {
          second = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        names.add(key.value);
      }
      return undefined;
    },
  });
  return second;
}

const standsTwice = "A name appears twice. Remove one of the two.";

/** Refuses the names that JSON refuses too, on the original text: the copy has other line numbers. */
function cleanCopy(value: unknown): unknown {
  const copy = JSON.stringify(value) ?? "null";
  try {
    return parseStrictJson(copy);
  } catch (cause) {
    throw new ConfigFault((cause as ConfigFault).message);
  }
}

function explain({ code }: YAMLError): string {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the parser's codes
  switch (code) {
    case "TAB_AS_INDENT":
      return "YAML is indented with spaces, not with tabs.";
    case "BAD_INDENT":
      return "The line is indented differently from its neighbours.";
    case "MISSING_CHAR":
      return "A bracket or a quotation mark is not closed.";
    case "MULTIPLE_DOCS":
      return "There is more than one document. Paste one.";
    default:
      return "This is neither JSON nor YAML.";
  }
}
