import { Lexer, type Tokens } from "marked";
import { markdownCost } from "@/lib/protocol/markdown-cost";
import { type MarkdownBlock, textOf, toBlock, whole } from "./markdown-pieces";
import { cutAtMath, maxMathChars, mayOpenMathBlock } from "./math-blocks";

/**
 * Cuts Markdown that grows at its end into top-level blocks, and long ones into pieces, so that only the last piece has
 * to be parsed again. Reading starts at the last known piece, so the time does not grow with the text.
 */
export class MarkdownBlocks {
  private text = "";
  private blocks: readonly MarkdownBlock[] = [];
  /** A definition or HTML affects other blocks: then the whole text is one block, whatever is added. */
  private isWhole = false;

  /** The blocks of `text`; joined they are the text. Blocks and pieces that did not change are the same objects. */
  split(text: string): readonly MarkdownBlock[] {
    if (text === this.text) return this.blocks;
    const grows = text.startsWith(this.text);
    if (!grows) this.isWhole = false;
    this.text = text;
    const cut = this.isWhole ? null : this.read(text, grows ? this.settled() : 0);
    this.isWhole = cut === null;
    this.blocks = cut ?? [whole(text)];
    return this.blocks;
  }

  /**
   * How many blocks no further text can change: a "1" after a list may become "1. next", another item of it, and what
   * opened a formula may find its end.
   */
  private settled(): number {
    let count = this.blocks.length - 1;
    let chars = 0;
    for (let at = count; at >= 0 && chars <= maxMathChars; at--) {
      const block = this.blocks[at];
      if (!block || block.kind === "code") continue;
      // A last one that is closed may get more words on its line.
      if (block.kind === "math" ? at === this.blocks.length - 1 : mayOpenMathBlock(textOf(block)))
        count = Math.min(count, block.kind === "math" ? at - 1 : at);
      chars += lengthOf(block);
    }
    while (count > 0 && list.test(this.blocks[count - 1]?.pieces[0] ?? "")) count--;
    return Math.max(0, count);
  }

  private read(text: string, settled: number): MarkdownBlock[] | null {
    const kept = this.blocks.slice(0, settled);
    const start = kept.reduce((length, block) => length + lengthOf(block), 0);
    const open = this.blocks[settled];
    const rest = text.slice(start);
    const more = open && goOn(open, rest);
    const cut = more === undefined ? cutBlocks(rest) : more;
    return cut ? [...kept, ...cut] : null;
  }
}

/** Reads on at the last piece of a block; undefined when it turns out to be another block than it was. */
function goOn(open: MarkdownBlock, text: string): MarkdownBlock[] | null | undefined {
  const { kind, head, pieces } = open;
  if (pieces.length < 2) return undefined;
  const done = pieces.slice(0, -1);
  const from = lengthOf({ ...open, pieces: done });
  const cut = cutBlocks(head + text.slice(from), true);
  const [first, ...rest] = cut ?? [];
  if (!first) return cut && undefined;
  if (first.kind !== kind || first.head !== head) return undefined;
  return [{ kind, head, pieces: [...done, ...first.pieces] }, ...rest];
}

/** The blocks, with formulas that have lines of their own as such; null and undefined as below. */
function cutBlocks(text: string, goesOn = false): MarkdownBlock[] | null | undefined {
  if (!mayOpenMathBlock(text)) return cutMarkdown(text, goesOn);
  const blocks: MarkdownBlock[] = [];
  for (const { raw, math } of cutAtMath(text)) {
    const cut = math ? [toBlock("math", raw)] : cutMarkdown(raw, goesOn);
    if (!cut) return cut;
    blocks.push(...cut);
  }
  return blocks;
}

/**
 * The blocks, each with the blank lines after it; null when they depend on one another. Undefined for a text that goes
 * on with a block and cannot be read by itself.
 */
function cutMarkdown(text: string, goesOn: boolean): MarkdownBlock[] | null | undefined {
  if (markdownCost(text) === Number.POSITIVE_INFINITY) return goesOn ? undefined : [whole(text)];
  // For a text that ends right after the mark of a list the lexer drops that space.
  const end = endOfWords(text);
  const tokens = new Lexer().blockTokens(text.slice(0, end)) as Tokens.Generic[];
  if (tokens.map(({ raw }) => raw).join("").length !== end) return goesOn ? undefined : [whole(text)];
  const blocks: { token: Tokens.Generic; raw: string }[] = [];
  for (const token of tokens) {
    const { raw } = token;
    if (token.type === "html" || token.type === "def") return null;
    if (token.type !== "code" && definition.test(raw)) return null;
    const last = blocks.at(-1);
    if (token.type === "space" && last) last.raw += raw;
    else blocks.push({ token, raw });
  }
  const last = blocks.at(-1);
  if (last) last.raw += text.slice(end);
  else if (text !== "") return [whole(text)];
  return blocks.map(({ token, raw }) => toBlock(token.type, raw, token.items));
}

function endOfWords(text: string): number {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === "\t")) end--;
  return end;
}

const lengthOf = ({ head, pieces }: MarkdownBlock) =>
  pieces.reduce((length, piece) => length + piece.length, head.length);

/** `[name]: https://…` and `[^1]: …` are used by links and notes anywhere in the text. */
const definition = /^ {0,3}\[[^\]\n]+\]:/m;

const list = /^ {0,3}([-*+]|\d{1,9}[.)])(\s|$)/;
