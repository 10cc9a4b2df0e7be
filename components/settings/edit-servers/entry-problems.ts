import {
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from "jsonc-parser";

import { maxConfigCharacters } from "@/lib/protocol/mcp-file";
import { aboutLength } from "./about-length";
import { type FieldType, fits, nearest, ruleOf } from "./entry-schema";

export type SyntaxCode = "comma" | "colon" | "open" | "comment" | "word" | "rest";

/** What is wrong between two places of the text; an "unknown" or "unread" field is only worth a look. */
export type EntryProblem = { from: number; to: number } & (
  | { code: "syntax"; syntax: SyntaxCode }
  | { code: "object" | "proto" | "neither" | "both" | "servers" }
  | { code: "twice" | "range" | "unread"; name: string }
  | { code: "long"; size: number }
  | { code: "type"; name: string; type: FieldType }
  | { code: "choice"; name: string; choices: string }
  | { code: "unknown"; name: string; near: string }
);

/** Whether it cannot be taken as it is. */
export const isFaulty = ({ code }: EntryProblem): boolean => code !== "unknown" && code !== "unread";

/** What looks at a text that could be read; `isWhole`: it has no fault of syntax. */
type Look = (root: Node, isWhole: boolean) => EntryProblem[];

/** The last text only: the editor, its marks and its dialog all ask about the same one. */
let latest: { text: string; look: Look; problems: readonly EntryProblem[] } | undefined;

/** All problems of an entry that is being written, in the order of the text; none of what is too deep to be read. */
export function findProblems(text: string, look: Look = findInEntry): readonly EntryProblem[] {
  if (latest?.text !== text || latest.look !== look) latest = { text, look, problems: search(text, look) };
  return latest.problems;
}

function search(text: string, look: Look): EntryProblem[] {
  if (text.trim() === "") return [];
  if (text.length > maxConfigCharacters) return [{ from: 0, to: 0, code: "long", size: aboutLength(text) }];
  try {
    return readProblems(text, look).sort((a, b) => a.from - b.from);
  } catch (cause) {
    if (cause instanceof RangeError) return [];
    throw cause;
  }
}

function readProblems(text: string, look: Look): EntryProblem[] {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { disallowComments: true });
  const problems = readErrors(errors, text.length);
  return root ? [...problems, ...findNames(root), ...look(root, errors.length === 0)] : problems;
}

/** The problems of a whole file of servers. */
export const findInFile: Look = (root, isWhole) => {
  const servers = root.type === "object" ? findNodeAtLocation(root, ["mcpServers"]) : undefined;
  if (servers?.type !== "object") {
    const place = servers ? placeOf(servers) : { from: root.offset, to: root.offset + 1 };
    return servers || isWhole ? [{ ...place, code: "servers" }] : [];
  }
  return [...members(servers)].flatMap(([, { value }]) => (value ? findInEntry(value, isWhole) : []));
};

function findInEntry(root: Node, isWhole: boolean): EntryProblem[] {
  if (root.type !== "object") return [{ ...placeOf(root), code: "object" }];
  const problems = [...members(root)].flatMap(([name, value]) => findInField(name, value));
  const [command, url] = [findNodeAtLocation(root, ["command"]), findNodeAtLocation(root, ["url"])];
  if (command && url) problems.push({ ...placeOf(url), code: "both" });
  if (!command && !url && isWhole) problems.push({ from: root.offset, to: root.offset + 1, code: "neither" });
  return problems;
}

/** One for each place: what follows from the first says nothing new. */
function readErrors(errors: readonly ParseError[], length: number): EntryProblem[] {
  const byPlace = new Map<number, EntryProblem>();
  for (const error of errors) {
    const [from, to] = [Math.min(error.offset, length), Math.min(error.offset + error.length, length)];
    if (!byPlace.has(from))
      byPlace.set(from, { from, to, code: "syntax", syntax: syntaxOf(printParseErrorCode(error.error)) });
  }
  return [...byPlace.values()].slice(0, 20);
}

function findNames(root: Node): EntryProblem[] {
  const problems: EntryProblem[] = [];
  const visit = (object: Node, depth: number) => {
    const seen = new Set<string>();
    for (const property of object.children ?? []) {
      const [key, value] = object.type === "object" ? (property.children ?? []) : [undefined, property];
      if (key) {
        const name = String(key.value);
        if (name === "__proto__") problems.push({ ...placeOf(key), code: "proto" });
        else if (seen.has(name)) problems.push({ ...placeOf(key), code: "twice", name });
        seen.add(name);
      }
      if (value && (value.type === "object" || value.type === "array") && depth < 20) visit(value, depth + 1);
    }
  };
  visit(root, 0);
  return problems;
}

function findInField(name: string, { key, value }: { key: Node; value: Node | undefined }): EntryProblem[] {
  const rule = ruleOf(name);
  if (!rule) {
    if (name === "__proto__") return [];
    const near = nearest(name);
    return [
      near ? { ...placeOf(key), code: "unknown", name, near } : { ...placeOf(key), code: "unread", name },
    ];
  }
  if (!value) return [];
  const place = placeOf(value);
  if (!fits(value, rule.type)) return [{ ...place, code: "type", name, type: rule.type }];
  const chosen = rule.type === "list" ? getNodeValue(value) : [value.value];
  if (rule.choices && !(chosen.length > 0 && chosen.every((one: string) => rule.choices?.includes(one))))
    return [{ ...place, code: "choice", name, choices: rule.choices.join(", ") }];
  if (
    /^(?:timeout|initTimeout)$/.test(name) &&
    !(Number.isInteger(value.value) && value.value >= 1 && value.value <= 600_000)
  )
    return [{ ...place, code: "range", name }];
  return [];
}

function* members(object: Node): Iterable<[name: string, at: { key: Node; value: Node | undefined }]> {
  for (const { children: [key, value] = [] } of object.children ?? [])
    if (key) yield [String(key.value), { key, value }];
}

const placeOf = ({ offset, length }: Node) => ({ from: offset, to: offset + length });

function syntaxOf(code: string): SyntaxCode {
  switch (code) {
    case "ColonExpected":
      return "colon";
    case "CloseBraceExpected":
    case "CloseBracketExpected":
    case "UnexpectedEndOfString":
      return "open";
    case "InvalidCommentToken":
    case "UnexpectedEndOfComment":
      return "comment";
    case "CommaExpected":
    case "PropertyNameExpected":
    case "ValueExpected":
      return "comma";
    case "EndOfFileExpected":
      return "rest";
    default:
      return "word";
  }
}
