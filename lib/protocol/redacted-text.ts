import type { RedactedKind } from "./share-policy";

/** One block stands for so many CSS pixels. */
export const blockPx = 8;
/** Of a letter at the size of text; most are about as wide. */
const [narrowPx, widePx] = [7.5, 15];
/** A longer text has lines of its own; a key of a page tells no more than that it is long. */
const [minBlocks, maxBlocks] = [2, 40];

const kinds: Record<RedactedKind, true> = {
  "private key": true,
  "API key": true,
  "GitHub token": true,
  "AWS key": true,
  "Google key": true,
  "Slack token": true,
  "JSON Web Token": true,
  "password in a URL": true,
  "stored secret": true,
  "e-mail address": true,
  "internal host": true,
  "private address": true,
  "local path": true,
};

/**
 * What stands in place of a text that was redacted: what it was, and how wide, in blocks of 8 px. The letters are counted and
 * not measured, so that their shapes tell nothing. In brackets that Markdown does not know: a line `[a]: b` would vanish.
 */
export function redactedMark(kind: RedactedKind, text: string): string {
  const wide =
    text.match(/[\u1100-\u11ff\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g)?.length ?? 0;
  const px = (text.length - wide) * narrowPx + wide * widePx;
  return `⟦${kind} ${"█".repeat(Math.min(maxBlocks, Math.max(minBlocks, Math.round(px / blockPx))))}⟧`;
}

const mark = new RegExp(`⟦(${Object.keys(kinds).join("|")}) (█{${minBlocks},${maxBlocks}})⟧`, "g");

/** Characters of the longest. */
const maxMark = maxBlocks + 3 + Math.max(...Object.keys(kinds).map(({ length }) => length));

/** A text, or what stands for one. */
export type RedactedPiece = string | { kind: RedactedKind; blocks: number };

/** A text as what is to be read of it and what is a block. */
export function redactedPieces(text: string): RedactedPiece[] {
  const pieces: RedactedPiece[] = [];
  let from = 0;
  for (const { 0: found, 1: kind, 2: blocks, index } of text.matchAll(mark)) {
    if (index > from) pieces.push(text.slice(from, index));
    pieces.push({ kind: kind as RedactedKind, blocks: blocks?.length ?? 0 });
    from = index + found.length;
  }
  if (from < text.length) pieces.push(text.slice(from));
  return pieces;
}

/** The first characters of a text, at most as many, in which no mark is cut in two. */
export const beginningOf = (text: string, characters: number): string =>
  text.slice(0, outsideMarks(text, characters));

/** No further than `to`, and not into a mark, of which a part would be words. */
export function outsideMarks(text: string, to: number): number {
  const begin = Math.max(0, to - maxMark);
  const from = begin + text.slice(begin, to).lastIndexOf("⟦");
  if (from < begin) return to;
  const [found] = text.slice(from, from + maxMark).matchAll(mark);
  return found?.index === 0 && from + found[0].length > to ? from : to;
}
