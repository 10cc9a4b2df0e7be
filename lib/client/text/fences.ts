/** A piece of code between two fences. */
export interface Fence {
  /** The first word after the fence, as it was written: "html", "ts:src/app.ts". */
  language: string;
  /** What follows it on the same line. */
  info: string;
  code: string;
  /** Its end has been written. */
  isClosed: boolean;
}

/** The fences of a Markdown text in order, those of lists and quotations among them. Takes one look at each line. */
export function fencesOf(text: string): Fence[] {
  if (!text.includes("```") && !text.includes("~~~")) return [];
  const found: Fence[] = [];
  let open: { mark: string; indent: number; quotes: number; fence: Fence; lines: string[] } | null = null;
  for (const line of text.split(/\r?\n/)) {
    const { quotes, rest } = unquoted(line, open?.quotes ?? maxQuotes);
    if (open) {
      const closing = closes.exec(rest)?.[1];
      // A quotation ends its code with itself.
      const isLeft = quotes < open.quotes;
      if (!isLeft && !closing?.startsWith(open.mark)) {
        open.lines.push(withoutIndent(rest, open.indent));
        continue;
      }
      found.push({ ...open.fence, code: open.lines.join("\n"), isClosed: true });
      open = null;
      if (!isLeft) continue;
    }
    const [, before = "", mark, language = "", info = ""] = opens.exec(rest) ?? [];
    if (mark === undefined || (mark.startsWith("`") && (language + info).includes("`"))) continue;
    const fence = { language, info: info.trim(), code: "", isClosed: false };
    open = { mark, indent: before.length, quotes, fence, lines: [] };
  }
  if (open) found.push({ ...open.fence, code: open.lines.join("\n") });
  return found;
}

/** As the code of the last fence grows, its last line may still be the beginning of the mark that closes it. */
const opens =
  /^((?:[-*+]|\d{1,9}[.)])?[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?)(`{3,}|~{3,})[ \t]*([^\s`]*)(.*)$/;
const closes = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;
const maxQuotes = 8;

function unquoted(line: string, most: number): { quotes: number; rest: string } {
  let rest = line;
  let quotes = 0;
  while (quotes < most) {
    const next = /^ {0,3}> ?/.exec(rest)?.[0];
    if (next === undefined) break;
    rest = rest.slice(next.length);
    quotes++;
  }
  return { quotes, rest };
}

const withoutIndent = (line: string, indent: number) => {
  let at = 0;
  while (at < indent && (line[at] === " " || line[at] === "\t")) at++;
  return line.slice(at);
};
