import type { McpDefinition } from "./mcp";
import { hasInvisible } from "./show-invisible";

/** What a person should know before they accept a definition. */
export type DefinitionFlag =
  /** It has characters that cannot be seen, or that reverse the direction of the text. */
  | { kind: "invisible" }
  /** Its longest description; more than people read, and room to hide orders in. */
  | { kind: "long"; characters: number }
  /** Tools of other servers that it names, at most ten: a tool has no reason to speak of them. */
  | { kind: "mentions"; tools: string[] };

/** A tool of any server, for the search for its name. */
export interface KnownTool {
  server: string;
  /** The server's own name for it. */
  name: string;
  qualifiedName: string;
}

/** About a page. The longest of the servers that ship with us has 2,500. */
const longestDescription = 4_000;
const maxMentions = 10;
const maxDepth = 70;

export function definitionFlags(
  server: string,
  definition: McpDefinition,
  known: readonly KnownTool[],
): DefinitionFlag[] {
  const texts: string[] = [];
  collect(definition, texts);
  const flags: DefinitionFlag[] = [];
  if (texts.some(hasInvisible)) flags.push({ kind: "invisible" });
  const characters = texts.reduce((most, text) => Math.max(most, text.length), 0);
  if (characters > longestDescription) flags.push({ kind: "long", characters });
  const tools = mentionsIn(texts, server, known);
  if (tools.length > 0) flags.push({ kind: "mentions", tools });
  return flags;
}

/** Every text of it, names and deep ones as well: an instruction can hide in the description of an argument. */
function collect(value: unknown, texts: string[], depth = 0): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "object" && value !== null && depth < maxDepth)
    for (const [name, member] of Object.entries(value)) {
      if (!Array.isArray(value)) texts.push(name);
      collect(member, texts, depth + 1);
    }
}

function mentionsIn(texts: readonly string[], server: string, known: readonly KnownTool[]): string[] {
  const { names, plain } = keptNames(server, known);
  const found = new Set<string>();
  for (const text of texts)
    for (const [, quoted, word] of withoutInvisible(text).toLowerCase().matchAll(words)) {
      const said = quoted ?? word ?? "";
      const tool = [said, ...said.split(".")]
        .map((part) => names.get(part) ?? (quoted && plain.get(part)))
        .find(Boolean);
      if (tool) found.add(tool);
      if (found.size >= maxMentions) return [...found];
    }
  return [...found];
}

interface OtherNames {
  names: Map<string, string>;
  plain: Map<string, string>;
}

/** A page has hundreds of definitions and one list of what is known. */
const kept = new WeakMap<readonly KnownTool[], Map<string, OtherNames>>();

function keptNames(server: string, known: readonly KnownTool[]): OtherNames {
  const ofServers = kept.get(known) ?? new Map<string, OtherNames>();
  kept.set(known, ofServers);
  const found = ofServers.get(server) ?? namesOfOthers(server, known);
  ofServers.set(server, found);
  return found;
}

/** In small letters. A plain one ("search", "read") is also a word of the language, and counts in quotation marks only. */
function namesOfOthers(server: string, known: readonly KnownTool[]): OtherNames {
  const own = new Set(known.filter((tool) => tool.server === server).map(({ name }) => name.toLowerCase()));
  const names = new Map<string, string>();
  const plain = new Map<string, string>();
  for (const { server: theirs, name, qualifiedName } of known) {
    if (theirs === server) continue;
    names.set(qualifiedName.toLowerCase(), qualifiedName);
    const isPlain = !/[_.\-\d]|[a-z][A-Z]/.test(name);
    if (!own.has(name.toLowerCase())) (isPlain ? plain : names).set(name.toLowerCase(), qualifiedName);
  }
  return { names, plain };
}

const words = /[`"'“‘「『]([\p{L}\p{N}_.-]{1,200})[`"'”’」』]|([a-z0-9_-]+(?:\.[a-z0-9_-]+)*)/gu;

/** `read\u200b_file` reads as `read_file` to a model. */
const withoutInvisible = (text: string) =>
  text.replaceAll(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, "");
