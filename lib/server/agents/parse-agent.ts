import { type Document, isMap, isNode, isScalar, visit } from "yaml";
import { type AgentFileProblem, maxAgentCharacters } from "@/lib/protocol/agents";
import { type Position, type ReadYaml, readYaml } from "@/lib/server/read-yaml";
import { type AgentDefinition, AgentFile } from "./agent-definition";

/** A file that cannot be used; the message is the first problem with file and line. */
export class AgentFileError extends Error {
  override name = "AgentFileError";
  readonly problems: readonly [AgentFileProblem, ...AgentFileProblem[]];

  constructor(
    readonly file: string,
    at: Position,
    problem: string,
    more: readonly AgentFileProblem[] = [],
  ) {
    super(faultInWords(file, at.line, problem));
    this.problems = [{ ...at, message: problem }, ...more];
  }
}

const faultInWords = (file: string, line: number, problem: string) => `agents/${file}:${line}: ${problem}`;

/** A definition with the places of its parts, so that what is found out later can name them. */
export interface ParsedAgent {
  file: string;
  text: string;
  definition: AgentDefinition;
  /** Where the value at this path stands, or what is nearest round it. */
  placeOf(path: readonly PropertyKey[]): Position;
}

const maxProblems = 20;
export const atStart: Position = { line: 1, column: 1 };

/** Reads `agents/<file>`; throws `AgentFileError` with the places of what is wrong. */
export function parseAgent(file: string, text: string): ParsedAgent {
  if (text.length > maxAgentCharacters)
    throw new AgentFileError(file, atStart, `It has more than ${maxAgentCharacters} characters.`);
  const read = readYaml(text);
  if ("message" in read) throw new AgentFileError(file, read.at, read.message);
  const again = rereads(text, read);
  const placeOf = (path: readonly PropertyKey[], isKey = false) => placeIn(again(), path, isKey);
  checkPlain(file, read);
  // A copy, as the parser puts texts together letter by letter, and each letter would be kept as a string of its own.
  const parsed = AgentFile.safeParse(structuredClone(read.document.toJS({ maxAliasCount: 0 })));
  if (parsed.success) return { file, text, definition: parsed.data, placeOf };
  const problems = parsed.error.issues
    .slice(0, maxProblems)
    .map(toIssue)
    .map(({ path, message, isKey }) => ({
      ...placeOf(path, isKey),
      message: `${placeInWords(path)}: ${message.replace(/\.$/, "")}.`,
    }));
  const [first, ...more] = problems;
  throw new AgentFileError(file, first ?? atStart, first?.message ?? "the file: unknown form.", more);
}

/** The tree of a text, which takes much memory and is asked for where something is wrong or drawn: it is let go of, and read again. */
function rereads(text: string, read: ReadYaml): () => ReadYaml {
  let held = new WeakRef(read);
  return () => {
    const known = held.deref();
    if (known) return known;
    const anew = readYaml(text) as ReadYaml;
    held = new WeakRef(anew);
    return anew;
  };
}

/** Aliases could make a small file endless, and keys that are no words lead nowhere. */
function checkPlain(file: string, { document, placeOf }: ReadYaml): void {
  let found: { offset: number; message: string } | undefined;
  visit(document, {
    Alias: (_, { range }) => {
      found = {
        offset: range?.[0] ?? 0,
        message: "Write out what an alias (*name) stands for; none is followed.",
      };
      return visit.BREAK;
    },
    Pair: (_, { key }) => {
      if (isScalar(key) && typeof key.value === "string") return undefined;
      found = {
        offset: (isNode(key) && key.range?.[0]) || 0,
        message: "Only a word can be a key here.",
      };
      return visit.BREAK;
    },
  });
  if (found) throw new AgentFileError(file, placeOf(found.offset), found.message);
}

interface Issue {
  path: PropertyKey[];
  message: string;
  /** It is about the key at the end of the path, not about its value. */
  isKey: boolean;
}

function toIssue(issue: { path: PropertyKey[]; message: string }): Issue {
  if ("keys" in issue && Array.isArray(issue.keys))
    return { path: [...issue.path, ...issue.keys.slice(0, 1)], message: "there is no such key", isKey: true };
  return { ...issue, isKey: false };
}

function placeIn({ document, placeOf }: ReadYaml, path: readonly PropertyKey[], isKey: boolean): Position {
  const key = isKey ? keyAt(document, path) : undefined;
  if (key !== undefined) return placeOf(key);
  for (let length = path.length; length >= 0; length--) {
    const found = document.getIn(path.slice(0, length), true);
    if (isNode(found) && found.range) return placeOf(found.range[0]);
  }
  return atStart;
}

function keyAt(document: Document, path: readonly PropertyKey[]): number | undefined {
  const map = document.getIn(path.slice(0, -1), true);
  const pair = isMap(map) && map.items.find(({ key }) => isScalar(key) && key.value === path.at(-1));
  return pair && isScalar(pair.key) ? pair.key.range?.[0] : undefined;
}

const placeInWords = (path: readonly PropertyKey[]) => path.join(".") || "the file";
