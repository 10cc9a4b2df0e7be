/** A formula that has lines of its own: `$$ … $$` or `\[ … \]`, as `raw` with the end of its last line. */
export interface MathBlock {
  raw: string;
  tex: string;
}

/** Longer ones are text: what was opened by chance must not take the rest of an answer. */
export const maxMathChars = 6_000;

/** Asked of every text before anything is read for formulas, so it costs next to nothing. */
export const mayHoldMath = (text: string): boolean =>
  text.includes("$") || text.includes("\\(") || text.includes("\\[");

export const mayHoldMathBlock = (text: string): boolean => text.includes("$$") || text.includes("\\[");

/** The formula that a text begins with; what is opened and not closed is none. */
export function mathBlockAt(text: string): MathBlock | undefined {
  const [open, mark] = opening.exec(text) ?? [];
  if (open === undefined) return undefined;
  const rest = text.slice(open.length, open.length + maxMathChars + 1);
  const end = closeOf(rest, mark === "$$" ? "$$" : "\\]");
  if (end === null || end === undefined) return undefined;
  const tex = rest.slice(0, end).trim();
  const after = lineEnd.exec(rest.slice(end + 2))?.[0];
  if (after === undefined || tex === "" || fence.test(rest.slice(0, end))) return undefined;
  return { raw: text.slice(0, open.length + end + 2 + after.length), tex };
}

/** Whether one may begin in the text and end in what comes after it. */
export const mayOpenMathBlock = (text: string): boolean => mayHoldMathBlock(text) && lineOpening.test(text);

/** The text cut at its formulas, each with the blank lines after it; whatever stands before one ends there. */
export function cutAtMath(text: string): { raw: string; math?: MathBlock }[] {
  const cuts: { raw: string; math?: MathBlock }[] = [];
  let from = 0;
  let insideFence = "";
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf("\n", at) + 1 || text.length;
    const line = text.slice(at, end);
    const mark = fenceMark.exec(line)?.[1];
    if (mark && insideFence === "") insideFence = mark;
    else if (mark?.startsWith(insideFence) && line.trim() === mark) insideFence = "";
    const math = insideFence === "" ? mathBlockAt(text.slice(at, at + maxMathChars + 8)) : undefined;
    if (!math) {
      at = end;
      continue;
    }
    if (at > from) cuts.push({ raw: text.slice(from, at) });
    const blank = blankLines.exec(text.slice(at + math.raw.length))?.[0] ?? "";
    from = at + math.raw.length + blank.length;
    cuts.push({ raw: text.slice(at, from), math });
    at = from;
  }
  return from < text.length ? [...cuts, { raw: text.slice(from) }] : cuts;
}

/** The text with each formula on one line of its own, which nothing in Markdown takes for a list, a heading or two paragraphs. */
export function joinMathLines(text: string): string {
  if (!mayOpenMathBlock(text)) return text;
  return cutAtMath(text)
    .map(({ raw, math }) => (math ? `\n\n${onOneLine(math)}\n\n` : raw))
    .join("");
}

/** With spaces, as a `$` at its end would be one of the mark. */
function onOneLine(math: MathBlock): string {
  const tex = oneLine(math);
  return tex.includes("$$") ? `\\[ ${tex} \\]` : `$$ ${tex} $$`;
}

/** Ends of lines are spaces in TeX, but they end comments. */
const oneLine = ({ tex }: MathBlock): string => tex.replace(/(?<!\\)%.*$/gm, "").replace(/\s*\n\s*/g, " ");

/** The mark that is opened at the end of a growing text and not closed, with its place. A `$` alone may be money. */
export function openMath(text: string): { at: number; close: string } | undefined {
  for (let at = text.lastIndexOf("\n\n") + 1; at < text.length; at++) {
    const two = text.slice(at, at + 2);
    if (text[at] === "`") {
      const [ticks = ""] = /^`+/.exec(text.slice(at)) ?? [];
      const end = text.indexOf(ticks, at + ticks.length);
      if (end < 0) return undefined;
      at = end + ticks.length - 1;
    } else if (two === "$$" || two === "\\(" || two === "\\[") {
      const close = closers[two];
      const end = closeOf(text.slice(at + 2), close);
      if (end === undefined) return text.length - at > maxMathChars ? undefined : { at, close };
      at += end === null ? 1 : end + 3;
    } else if (text[at] === "\\") at++;
  }
  return undefined;
}

const closers = { $$: "$$", "\\(": "\\)", "\\[": "\\]" } as const;

/** Where the mark is, escapes passed over; null when another one is opened before it, undefined when it is not there. */
function closeOf(text: string, mark: string): number | null | undefined {
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith(mark, at)) return at;
    if (text[at] !== "\\") continue;
    if (mark !== "$$" && (text[at + 1] === "[" || text[at + 1] === "(")) return null;
    at++;
  }
  return undefined;
}

/** Further in it belongs to an item of a list. */
const opening = /^ ?(\$\$(?!\$)|\\\[)/;
const lineOpening = /^ ?(?:\$\$|\\\[)/m;
const lineEnd = /^[ \t\r]*(?:\n|$)/;
const blankLines = /^(?:[ \t\r]*\n)+/;
const fence = /^ {0,3}(?:```|~~~)/m;
const fenceMark = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/;
