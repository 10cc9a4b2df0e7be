import { type Document, isNode, LineCounter, parseDocument } from "yaml";
import { type AgentDefinition, AgentFile } from "./agent-definition";

/** A file that cannot be used, in one sentence with file and line. */
export class AgentFileError extends Error {
  override name = "AgentFileError";
}

/** A definition with the lines of its parts, so that what is found out later can name them. */
export interface ParsedAgent {
  file: string;
  definition: AgentDefinition;
  /** Line of the value at this path. */
  lineOf(path: readonly PropertyKey[]): number;
}

const maxCharacters = 200_000;

/** Reads `agents/<file>`; throws `AgentFileError` with the line of what is wrong. */
export function parseAgent(file: string, text: string): ParsedAgent {
  if (text.length > maxCharacters)
    throw new AgentFileError(`agents/${file}: it has more than ${maxCharacters} characters.`);
  const lines = new LineCounter();
  // Without aliases: they could make a small file endless.
  const document = parseDocument(text, { lineCounter: lines, uniqueKeys: true, prettyErrors: false });
  const lineOf = (path: readonly PropertyKey[]) => lineAt(document, lines, path);
  const [error] = document.errors;
  if (error)
    throw new AgentFileError(
      `agents/${file}:${lines.linePos(error.pos[0]).line}: ${sentence(error.message)}`,
    );
  const parsed = AgentFile.safeParse(toValue(document, file));
  if (parsed.success) return { file, definition: parsed.data, lineOf };
  const { path, message, keys } = firstIssue(parsed.error.issues);
  const at = [...path, ...keys];
  throw new AgentFileError(
    `agents/${file}:${lineOf(at)}: ${placeInWords(at)}: ${message.replace(/\.$/, "")}.`,
  );
}

function toValue(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new AgentFileError(`agents/${file}: write out what an alias (*name) stands for; none is followed.`);
  }
}

interface Issue {
  path: PropertyKey[];
  message: string;
  keys: PropertyKey[];
}

/** The innermost: unions tell what is wrong with each of their choices. */
function firstIssue(issues: readonly { path: PropertyKey[]; message: string }[]): Issue {
  const [issue] = issues;
  if (!issue) return { path: [], message: "unknown form", keys: [] };
  if ("keys" in issue && Array.isArray(issue.keys))
    return { path: issue.path, message: "there is no such key", keys: issue.keys.slice(0, 1) };
  return { ...issue, keys: [] };
}

function lineAt(document: Document, lines: LineCounter, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length--) {
    const found = document.getIn(path.slice(0, length), true);
    if (isNode(found) && found.range) return lines.linePos(found.range[0]).line;
  }
  return 1;
}

const placeInWords = (path: readonly PropertyKey[]) => path.join(".") || "the file";

const sentence = (message: string) => (message.endsWith(".") ? message : `${message}.`);
