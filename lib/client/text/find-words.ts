/** More of a query is not looked for. */
const maxQuery = 200;
const maxWords = 16;

/** The words of a query, in the form in which they are compared. */
export function wordsOf(query: string): string[] {
  return [...new Set(plain(query.slice(0, maxQuery)).split(/\s+/))].filter(Boolean).slice(0, maxWords);
}

export const plain = (text: string): string => text.normalize("NFKC").toLowerCase();

/** Whether a text has all the words. */
export function hasWords(text: string, words: readonly string[]): boolean {
  const flat = plain(text);
  return words.every((word) => flat.includes(word));
}

/** A stretch of a text, in its own characters: from, and up to. */
export type Stretch = [from: number, to: number];

/** Where the words stand in a text, in order; what overlaps is one stretch. */
export function findWords(text: string, words: readonly string[], most = 500): Stretch[] {
  const { flat, places } = flatten(text);
  const found: Stretch[] = [];
  for (const word of words)
    for (
      let at = flat.indexOf(word);
      at >= 0 && found.length < most;
      at = flat.indexOf(word, at + word.length)
    )
      found.push([places?.[at] ?? at, places?.[at + word.length] ?? at + word.length]);
  found.sort((a, b) => a[0] - b[0]);
  const merged: Stretch[] = [];
  for (const [from, to] of found) {
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** Nothing in it changes its length when it is compared. */
const simple = /^[\p{ASCII}\u3041-\u3096\u30a1-\u30fa\u30fc\u4e00-\u9fff\u3001\u3002]*$/u;

/** The text as it is compared, and where each of its characters comes from; without places they are the same. */
function flatten(text: string): { flat: string; places?: number[] } {
  if (simple.test(text)) return { flat: text.toLowerCase() };
  let flat = "";
  const places: number[] = [];
  // A mark belongs to the letter before it, and so does the sound mark of half-width kana.
  for (const { 0: letter, index } of text.matchAll(/[\s\S][\udc00-\udfff]?[\p{M}\uff9e\uff9f]*/gu)) {
    const folded = plain(letter);
    for (let unit = 0; unit < folded.length; unit++) places.push(index);
    flat += folded;
  }
  places.push(text.length);
  return { flat, places };
}
