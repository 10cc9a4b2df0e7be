/** A message in which a long text was put: what is said about it stands before or after it. */
export interface PastedText {
  before: string;
  pasted: string;
  after: string;
}

/** Longer messages hold something that was pasted. */
const maxLines = 20;
const maxBytes = 4_096;
/** What somebody says about a page is shorter than the page. */
const wordsLines = 6;
const wordsChars = 600;

/** Nobody types twenty lines: a long message is a paste, with the first and the last paragraph as words where these are short. */
export function findPasted(text: string): PastedText | null {
  if (!isLong(text)) return null;
  const first = text.search(/\n[ \t]*\n/);
  const firstLine = text.indexOf("\n");
  let from = first >= 0 && isWords(text.slice(0, first)) ? first : 0;
  // A question right above what it is about.
  if (
    from === 0 &&
    firstLine > 0 &&
    firstLine <= wordsChars &&
    /[?:？：。]\s*$/.test(text.slice(0, firstLine))
  )
    from = firstLine;
  const last = /\n[ \t]*\n(?!\s*$)(?![\s\S]*\n[ \t]*\n\s*\S)/.exec(text.slice(-2 * wordsChars));
  const end = last ? text.length - Math.min(text.length, 2 * wordsChars) + last.index : text.length;
  const to = end > from && isWords(text.slice(end)) ? end : text.length;
  const pasted = text.slice(from, to).replace(/^\s*\n|\s+$/g, "");
  if (pasted === "") return null;
  return { before: text.slice(0, from).trim(), pasted, after: text.slice(to).trim() };
}

const isLong = (text: string): boolean =>
  countLines(text) > maxLines || text.length > maxBytes || bytesOf(text) > maxBytes;

const isWords = (text: string): boolean => text.length <= wordsChars && countLines(text.trim()) <= wordsLines;

export function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count++;
  return count;
}

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** About how many tokens a text is: four Latin letters are one, and so is any character of another script. */
export function roughTokens(text: string): number {
  let others = 0;
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x2e7f) others++;
  return Math.round((text.length - others) / 4 + others);
}
