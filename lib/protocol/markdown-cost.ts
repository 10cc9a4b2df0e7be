/**
 * About how many microseconds a text takes to parse and draw as Markdown, counted in one pass over it; infinite when it
 * must not be parsed at all: nesting that overflows the stack, a table that is mostly padding.
 *
 * The parsers take quadratic time for marks that are opened and never closed: 30 KB of `_*a` take minutes. So a text is
 * measured before the server or the page renders it. A run of lines ends at a blank line, as a paragraph does at the latest.
 */
export function markdownCost(text: string): number {
  const count = new Count();
  for (const line of text.split(/\r\n?|\n/)) count.add(line);
  return count.total(text);
}

/** A block that costs more is shown as plain text; a table of 400 rows with several marks each stays below. */
export const maxBlockCost = 500_000;

const maxDepth = 64;
const maxIndent = 512;
/** Cells that parsers add to rows that are too short. */
const maxPadding = 20_000;

/** Measured with micromark 4 and react-markdown 10, rounded up. */
const prices = {
  ...{ char: 0.3, line: 100, codeLine: 30, mark: 30, level: 10, cell: 80, link: 60 },
  /** Each closing mark looks back at all before it. */
  pair: 0.06,
  /** An unclosed mark is read to the end of its run. */
  scanned: 0.06,
  /** Each underlined heading moves all lines before it. */
  heading: 0.2,
  /** Each use of a definition repeats its address. */
  copied: 0.005,
};

class Count {
  private cost = 0;
  private lines = 0;
  private headings = 0;
  private padding = 0;
  private isTooDeep = false;
  /** The marks that opened the code block that is being read. */
  private fence = "";
  /** A comment or `<script>` may span blank lines: after it nothing counts as a fence. */
  private mayBeHtml = false;
  private run = newRun();
  private words = newWords();

  add(line: string): void {
    this.lines++;
    if (this.fence) {
      this.cost += prices.codeLine;
      if (closing.exec(line)?.[1]?.startsWith(this.fence)) this.fence = "";
    } else if (blank.test(line)) this.endRun();
    else if (this.run.lines > 0 || this.mayBeHtml) this.addText(line);
    else {
      this.fence = opening.exec(line)?.[1] ?? "";
      if (!this.fence) this.addText(line);
    }
  }

  total(text: string): number {
    this.endRun();
    if (this.isTooDeep || this.padding > maxPadding) return Number.POSITIVE_INFINITY;
    const once = text.length * prices.char + copiedBy(text) * prices.copied;
    return this.cost + once + this.headings * this.lines * prices.heading;
  }

  private addText(line: string): void {
    const { run } = this;
    run.lines++;
    if (run.lines === 1) run.head = edged.test(line) ? countOf(edge, line) : -1;
    else if (run.lines === 2) run.isTable = edged.test(line) && countOf(edge, line) === run.head;
    run.isTable &&= line.startsWith("|");
    if (run.isTable) this.endWords();
    this.countLine(line);
  }

  private countLine(line: string): void {
    const { run, words } = this;
    const levels = countOf(marker, containers.exec(line)?.[0] ?? "");
    const indent = line.search(/[^ \t]|$/);
    if (levels > maxDepth || indent > maxIndent) this.isTooDeep = true;
    if (underline.test(line)) this.headings++;
    if (delimiterRow.test(line)) run.columns = Math.max(run.columns, line.split("|").length);
    const own = countOf(edge, line);
    const cells = Math.max(run.columns, own);
    this.padding += cells - own;
    this.cost += prices.line + cells * prices.cell + countOf(link, line) * prices.link;
    this.cost += (levels * (levels + 8) + indent) * prices.level;
    this.mayBeHtml ||= longHtml.test(line);
    words.chars += line.length + 1;
    words.marks += countOf(mark, line);
    words.scans += countOf(scan, line);
    for (const [ticks] of line.matchAll(/`+/g)) words.ticks.add(ticks.length);
  }

  private endRun(): void {
    this.endWords();
    this.cost += prices.line;
    this.run = newRun();
  }

  private endWords(): void {
    const { marks, scans, ticks, chars } = this.words;
    this.cost += marks * prices.mark + marks * marks * prices.pair;
    this.cost += (scans + ticks.size) * chars * prices.scanned;
    this.words = newWords();
  }
}

/** Lines up to a blank one. */
const newRun = () => ({
  lines: 0,
  /** Each row of a table is filled up to as many cells. */
  columns: 0,
  /** How many bars the first line has, if it can only be the head of a table. */
  head: -1,
  isTable: false,
});

/** The unit in which parsers look for a closing mark: each row of a certain table by itself, else all lines of a run. */
const newWords = () => ({
  chars: 0,
  marks: 0,
  scans: 0,
  /** The end of a code span is searched once for each length of backticks. */
  ticks: new Set<number>(),
});

const countOf = (pattern: RegExp, text: string) => text.match(pattern)?.length ?? 0;

const blank = /^[ \t]*$/;
const opening = /^(`{3,}(?=[^`]*$)|~{3,})/;
const closing = /^ {0,3}(`{3,}|~{3,})[ \t]*$/;
const longHtml = /<(?:[!?]|script|pre|style|textarea)/i;
const containers = /^(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)))+/;
const marker = /\d+[.)]|[>*+-]/g;
const mark = /[*_~[\]`<!&]/g;
const scan = /<[!?/a-z]|\]\(/gi;
const link = /:\/\/|www\.|@/gi;
const edge = /\|/g;
/** Begins and ends with a bar, and no bar in between is escaped or in code. */
const edged = /^\|[^\\`]*\|$/;
const underline = /^[ \t>]*(?:=+|-+)[ \t]*$/;
const delimiterRow = /^(?=[^|]*\|)[\s>|:*+\d.)-]*$/;
const definition = /^[ \t>]*\[[^\]\n]+\]:/m;

function copiedBy(text: string): number {
  if (!definition.test(text)) return 0;
  let longest = 0;
  for (const run of text.split(/\n[ \t]*\n/)) if (run.includes("]:")) longest = Math.max(longest, run.length);
  return longest * countOf(/\]/g, text);
}
