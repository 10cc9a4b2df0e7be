import { createHash } from "node:crypto";
import {
  type Grams,
  gramsOf,
  isHead,
  lastOf,
  maxWord,
  noLetter,
  normalize,
  pairsOf,
  type Run,
  runsOf,
  spaced,
} from "./grams";

/** What a person looks for: all of its words must be there. */
export interface SearchQuery {
  /** By words between spaces: what of each must stand side by side. */
  words: readonly (readonly Run[])[];
}

export function parseQuery(text: string): SearchQuery {
  const words = normalize(text)
    .split(/\s+/)
    .map((word) => [...runsOf(word)])
    .filter((runs) => runs.length > 0);
  return { words };
}

/** What the index must say of a message: all tokens of `scope`, one of `oneOf` where there are any, and each of `phrases`. */
export interface Match {
  scope: readonly string[];
  oneOf: readonly string[];
  phrases: readonly Phrase[];
}

/** A head, or grams side by side, of which the last may go on. */
export type Phrase = { head: string } | { grams: readonly string[]; isPrefix: boolean };

/** Grams have letters, marks and digits alone, so that nothing a person types is an operator of an index. */
export function toMatch(
  { words }: SearchQuery,
  userId: string,
  scope: readonly string[],
  oneOf: readonly string[] = [],
): Match {
  const mark = markOf(userId);
  const marked = (token: string) => mark + token;
  return {
    scope: scope.map(marked),
    oneOf: oneOf.map(marked),
    phrases: words.map((runs) => toPhrase(runs, mark)),
  };
}

function toPhrase(runs: readonly Run[], mark: string): Phrase {
  const [first] = runs;
  if (first && runs.length === 1 && isHead(first)) return { head: mark + first.text };
  const grams = runs.flatMap(({ text, isUnspaced }, at) => {
    if (!isUnspaced) return text;
    const isEnd = at === runs.length - 1;
    const pairs = pairsOf(text);
    // In the text it may go on; a character by itself begins a pair there, or ends what has none after it.
    return isEnd && pairs.length > 0 ? pairs : [...pairs, lastOf(text)];
  });
  const last = runs.at(-1);
  return { grams: grams.map((gram) => mark + gram), isPrefix: last !== undefined && isPrefix(last) };
}

/** One Latin letter would begin a tenth of all words. */
const isPrefix = ({ text, isUnspaced }: Run): boolean =>
  isUnspaced ? pairsOf(text).length === 0 : Array.from(text).length > 1;

/** Finds in a normalized text what the index found, one expression for each word. */
export const toPatterns = ({ words }: SearchQuery): RegExp[] =>
  words.map((runs) => {
    const parts = runs.map((run, at) => toPattern(run, at === runs.length - 1 && isPrefix(run)));
    return new RegExp(parts.join("[^\\p{L}\\p{N}]*"), "gv");
  });

const toPattern = ({ text, isUnspaced }: Run, isOpen: boolean): string =>
  isUnspaced ? text : `${noLetter}${text}${isOpen || text.length >= maxWord ? "" : `(?!${spaced})`}`;

/**
 * What all tokens of a person's messages begin with: a search reads nothing of what others have written, however much that is. Two
 * people with the same mark would only be slower.
 */
const markOf = (userId: string): string =>
  `${createHash("sha256").update(userId).digest("hex").slice(0, 8)}:`;

/** Which a message is: tokens that no text has, as they hold what is no letter. */
export const scopeToken = {
  conversation: (id: string): string => `c:${hex(id)}`,
  role: (role: "user" | "assistant"): string => `r:${role}`,
};

const hex = (id: string): string => Buffer.from(id).toString("hex");

/** A text of this person's with the tokens of which it is; undefined where nothing of it can be found. */
export function toDocument(text: string, userId: string, scope: readonly string[]): Grams | undefined {
  const { grams, heads } = gramsOf(text);
  if (grams === "") return undefined;
  const mark = markOf(userId);
  const marked = (tokens: string) => mark + tokens.replaceAll(" ", ` ${mark}`);
  return { grams: marked([...scope, grams].join(" ")), heads: heads && marked(heads) };
}
