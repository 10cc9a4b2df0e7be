import { globSync, readFileSync } from "node:fs";
import { parseSync, type TemplateLiteral } from "oxc-parser";

export interface Spoken {
  file: string;
  /** With `{}` for each hole. */
  sentence: string;
}

interface Node {
  type: string;
  start: number;
  end: number;
  [part: string]: unknown;
}

/**
 * Where a text is for people even if it is no whole sentence: `new SomeError("…")`, `{ message: "…" }`,
 * `.refine(…, "…")`, and anywhere in what is called `somethingInWords`, where two words are enough.
 */
const said = {
  by: /(Error|Fault|Outcome|refine|regex|min|max|custom|addIssue|notFound|notes\.push)$/,
  as: /^(message|error|reason|fault|problem)$/,
  within: /InWords$/,
};

const hasWords = (text: string, fewest: number) =>
  /[a-z]{2,}/.test(text) && text.trim().split(/\s+/).length >= fewest;
const isSentence = (text: string) => /^[A-Z{"].*[.?!]$/.test(text.trim());

/** Every sentence that the sources of a room hold, in the order of the files. */
export function spokenIn(room: string): Spoken[] {
  return globSync(`lib/${room}/**/*.ts`)
    .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
    .sort()
    .flatMap((file) => [...sentencesOf(file)].map((sentence) => ({ file, sentence })));
}

function sentencesOf(file: string): Set<string> {
  const source = readFileSync(file, "utf8");
  const found = new Set<string>();
  const walk = (node: Node, isSaid: boolean, fewest: number) => {
    const text = textOf(node);
    if (text && hasWords(text, fewest) && (isSaid || isSentence(text))) found.add(text);
    for (const [part, value] of Object.entries(node))
      for (const child of [value].flat())
        if (isNode(child))
          walk(child, isSaid || saysIt(node, part, source), isInWords(node, source) ? 2 : fewest);
  };
  walk(parseSync(file, source).program as never, false, 3);
  return found;
}

const isInWords = ({ type, id }: Node, source: string): boolean =>
  (type === "FunctionDeclaration" || type === "VariableDeclarator") && said.within.test(wordOf(id, source));

const wordOf = (node: unknown, source: string) => (isNode(node) ? source.slice(node.start, node.end) : "");

function saysIt(node: Node, part: string, source: string): boolean {
  const { type, key, callee } = node;
  const word = (part: unknown) => wordOf(part, source);
  if (isInWords(node, source)) return true;
  if (type === "Property") return part === "value" && said.as.test(word(key));
  return part === "arguments" && said.by.test(word(callee));
}

function textOf(node: Node): string | undefined {
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  if (node.type !== "TemplateLiteral") return undefined;
  return (node as unknown as TemplateLiteral).quasis.map(({ value }) => value.cooked ?? "").join("{}");
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value;
