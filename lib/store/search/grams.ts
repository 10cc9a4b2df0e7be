/**
 * Scripts that put no spaces between words, and Hangul, whose words have endings: of these two characters at a time are a
 * gram. Of all others a word is one.
 */
const unspaced =
  "[[\\p{L}\\p{N}\\p{M}]&&[\\p{scx=Han}\\p{scx=Hira}\\p{scx=Kana}\\p{scx=Bopo}\\p{scx=Hang}\\p{scx=Thai}\\p{scx=Laoo}\\p{scx=Khmr}\\p{scx=Mymr}\\p{scx=Tibt}]]";
/** Letters, digits and marks of words between spaces. */
export const spaced = `[[\\p{L}\\p{N}\\p{M}]--${unspaced}]`;
/** Before the beginning of such a word. */
export const noLetter = `(?<![[\\p{L}\\p{N}]--${unspaced}]\\p{M}{0,8})`;
const run = new RegExp(`(${unspaced}+)|(?!\\p{M})${spaced}+`, "gv");

/** Of a word, in code points: what is longer is no word. */
export const maxWord = 64;
/** Of what comes out of NFKC, which makes 18 characters of some. */
const maxCharacters = 131_072;

/** A word, or characters of a script without spaces. */
export interface Run {
  text: string;
  isUnspaced: boolean;
}

/** The form in which texts are compared. */
export const normalize = (text: string): string =>
  text.normalize("NFKC").toLowerCase().replaceAll("ς", "σ").slice(0, maxCharacters);

/** The words of a normalized text, in order. */
export function* runsOf(normalized: string): Generator<Run> {
  for (const [text, unspacedText] of normalized.matchAll(run))
    yield unspacedText === undefined ? { text: cut(text), isUnspaced: false } : { text, isUnspaced: true };
}

/** What of a text is put into the index, each with spaces in between. */
export interface Grams {
  /** In their order. */
  grams: string;
  /** How words begin, and single characters, each once: FTS5 would read every word that begins so to find the newest. */
  heads: string;
}

export function gramsOf(text: string): Grams {
  const grams: string[] = [];
  const heads = new Set<string>();
  // Most of a text are words that it has had: what they begin with is worked out once.
  const known = new Set<string>();
  for (const each of runsOf(normalize(text))) {
    const { text: word, isUnspaced } = each;
    if (isUnspaced) {
      for (const pair of pairsOf(word)) grams.push(pair);
      grams.push(lastOf(word));
    } else grams.push(word);
    if (known.has(word)) continue;
    known.add(word);
    addHeads(heads, each);
  }
  return { grams: grams.join(" "), heads: [...heads].join(" ") };
}

/** Letters of a head: few long words begin alike. */
const [minHead, maxHead] = [2, 6];

function addHeads(heads: Set<string>, { text, isUnspaced }: Run): void {
  if (isUnspaced) for (const character of text) heads.add(character);
  else
    for (let [letters, end] = [1, 0]; letters <= maxHead && end < text.length; letters++) {
      end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
      if (letters >= minHead) heads.add(text.slice(0, end));
    }
}

/** Whether what begins with this run is found by its head. */
export function isHead({ text, isUnspaced }: Run): boolean {
  const { length } = Array.from(text);
  return isUnspaced ? length === 1 : length >= minHead && length <= maxHead;
}

/** Each two characters that are side by side. */
export function pairsOf(text: string): string[] {
  const pairs: string[] = [];
  let before = "";
  for (const character of text) {
    if (before !== "") pairs.push(before + character);
    before = character;
  }
  return pairs;
}

export const lastOf = (text: string): string => Array.from(text.slice(-2)).at(-1) ?? "";

const cut = (word: string): string =>
  word.length <= maxWord ? word : Array.from(word).slice(0, maxWord).join("");
