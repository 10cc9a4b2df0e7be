import { Lexer } from "marked";
import { outsideMarks } from "@/lib/protocol/redacted-text";
import { mayHoldMath } from "./math-blocks";

/**
 * A top-level block of Markdown. A long one is cut into pieces that can be drawn one by one: rows of a table, items of a
 * list, lines of code, stretches of a paragraph. `head` and the pieces joined are its text.
 */
export interface MarkdownBlock {
  kind: "list" | "table" | "code" | "math" | "paragraph" | "other";
  /** What stands before each piece where that is read by itself: two lines of a table, the first line of a fence. */
  head: string;
  pieces: readonly string[];
}

export const textOf = ({ head, pieces }: MarkdownBlock): string => head + pieces.join("");

/** Sizes of pieces: small enough to be parsed in each frame, large enough to be few. */
const pieceItems = 8;
const pieceRows = 10;
export const linesOfPiece = 40;
const pieceChars = 2_000;
/** A longer item or row is a piece by itself. */
const listChars = 1_500;

/** The block of a token, `raw` being its text with the blank lines after it. */
export function toBlock(type: string, raw: string, items: readonly { raw: string }[] = []): MarkdownBlock {
  if (raw.includes("\r")) return whole(raw);
  switch (type) {
    case "list":
      return { kind: "list", head: "", pieces: cutList(raw, items) };
    case "table": {
      const head = tableHead.exec(raw)?.[0];
      return head ? { kind: "table", head, pieces: cutRows(raw.slice(head.length)) } : whole(raw);
    }
    case "code": {
      const head = fenceHead.exec(raw)?.[0];
      return head
        ? { kind: "code", head, pieces: cutLines(raw.slice(head.length), linesOfPiece) }
        : whole(raw);
    }
    case "math":
      return { kind: "math", head: "", pieces: [raw] };
    case "paragraph":
      return { kind: "paragraph", head: "", pieces: cutParagraph(raw) };
    default:
      return whole(raw);
  }
}

export const whole = (raw: string): MarkdownBlock => ({ kind: "other", head: "", pieces: [raw] });

/** The first lines of a fence that begins at the edge, with the word for its language. */
export const fenceHead = /^(`{3,}|~{3,})[ \t]*([\w+#.-]*)(?:[ \t][^`\n]*)?\n/;
const tableHead = /^\|[^\n]*\n\|[ \t|:-]*\n/;

/** Text without marks of its own, in pieces at the ends of lines where there are some. */
export function cutPlain(text: string): string[] {
  return cutLines(text, linesOfPiece).flatMap(cutWords);
}

const plainChars = 4_000;
const stretch = new RegExp(`[\\s\\S]{1,${plainChars}}(?:\\s|$)|[\\s\\S]{1,${plainChars}}`, "y");

/** After a space where there is one, and not within what stands for a redacted text. */
function cutWords(text: string): string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    stretch.lastIndex = from;
    const end = outsideMarks(text, from + (stretch.exec(text)?.[0].length ?? plainChars));
    // Where the only space is that of the mark which it begins with, it is cut as if there were none.
    const to = end > from ? end : outsideMarks(text, from + plainChars);
    pieces.push(text.slice(from, to));
    from = to;
  }
  return pieces;
}

/** Code in pieces of `linesOfPiece` lines. */
export const cutCode = (code: string): string[] => cutLines(code, linesOfPiece);

function cutLines(text: string, lines: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  for (let at = text.indexOf("\n"), count = 1; at >= 0; at = text.indexOf("\n", at + 1), count++) {
    if (count % lines !== 0 || at + 1 === text.length) continue;
    pieces.push(text.slice(from, at + 1));
    from = at + 1;
  }
  return [...pieces, text.slice(from)];
}

/** What begins with a bar is a row; of anything else it takes all of the table to know. */
function cutRows(text: string): string[] {
  const pieces = cutLines(text, pieceRows);
  return pieces.slice(0, -1).every((piece) => certainRows.test(piece)) ? pieces : [text];
}

const certainRows = /^(?:\|[^\n]*\n)+$/;

/** The last two items stay together: what comes may still belong to the first of them. */
function cutList(text: string, items: readonly { raw: string }[]): string[] {
  const pieces: string[] = [];
  let piece = "";
  let count = 0;
  let length = 0;
  for (const [at, { raw }] of items.entries()) {
    const isFull = count >= pieceItems || piece.length >= listChars;
    if (isFull && at < items.length - 1 && item.test(raw)) {
      pieces.push(piece);
      piece = "";
      count = 0;
    }
    piece += raw;
    length += raw.length;
    count++;
  }
  const cut = pieces.join("").length;
  return text.startsWith(pieces.join("")) && length <= text.length ? [...pieces, text.slice(cut)] : [text];
}

const item = /^(?:[-*+]|\d{1,9}[.)])[ \t]+\S/;

/** A paragraph is cut before a word, where no mark is open. */
function cutParagraph(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > pieceChars + pieceChars / 2) {
    const cut = safeCut(rest);
    if (cut < 0) break;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
}

const tries = 4;

function safeCut(text: string): number {
  const words = /[ \n](?=\p{L}[\p{L}\d]* )/gu;
  let from = pieceChars / 2;
  for (let count = 0; count < tries; count++, from += pieceChars / 4) {
    words.lastIndex = from;
    const found = words.exec(text);
    if (!found || found.index > 2 * pieceChars) return -1;
    const cut = found.index + 1;
    if (outsideMarks(text, cut) === cut && isClosed(text.slice(0, found.index))) return cut;
  }
  return -1;
}

/** Whether every mark has found its other end, so that none can reach into what follows. */
function isClosed(text: string): boolean {
  // A formula may begin in it and end anywhere in the rest.
  if (mayHoldMath(text) || (text.match(marks)?.length ?? 0) > maxMarks) return false;
  return !Lexer.lexInline(text).some(({ type, raw }) => type === "text" && raw.search(marks) >= 0);
}

const marks = /[*_~`[\]<\\&|]/g;
const maxMarks = 1_000;
