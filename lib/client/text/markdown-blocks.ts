import { Lexer } from "marked";
import { markdownCost } from "./markdown-cost";

/**
 * Cuts Markdown that grows at its end into top-level blocks, so that only the last one has to be parsed again.
 * Parsing starts at the last known block, so the time does not grow with the text.
 */
export class MarkdownBlocks {
  private text = "";
  private blocks: readonly string[] = [];
  /** A definition or HTML affects other blocks: then the whole text is one block, whatever is added. */
  private whole = false;

  /** The blocks of `text`; joined they are the text. Blocks that did not change are the same strings. */
  split(text: string): readonly string[] {
    if (text === this.text) return this.blocks;
    const grows = text.startsWith(this.text);
    if (!grows) this.whole = false;
    const kept = grows && !this.whole ? this.blocks.slice(0, this.settled()) : [];
    const tail = text.slice(kept.reduce((length, block) => length + block.length, 0));
    this.text = text;
    const cut = this.whole ? null : cutBlocks(tail);
    this.whole = cut === null;
    this.blocks = cut ? [...kept, ...cut] : [text];
    return this.blocks;
  }

  /** How many blocks no further text can change: a "1" after a list may become "1. next", another item of it. */
  private settled(): number {
    let count = this.blocks.length - 1;
    while (count > 0 && list.test(this.blocks[count - 1] ?? "")) count--;
    return count;
  }
}

/**
 * The blocks, each with the blank lines after it; null when they depend on one another. For a text that ends
 * right after a list marker the lexer drops that space: it is one block until more arrives.
 */
function cutBlocks(text: string): string[] | null {
  if (definition.test(text)) return null;
  if (markdownCost(text) === Number.POSITIVE_INFINITY) return [text];
  const blocks: string[] = [];
  // Blocks only: parsing the inline content takes quadratic time for marks that are never closed.
  for (const { type, raw } of new Lexer().blockTokens(text)) {
    if (type === "html" || type === "def") return null;
    if (type === "space" && blocks.length > 0) blocks[blocks.length - 1] += raw;
    else blocks.push(raw);
  }
  return blocks.join("") === text ? blocks : [text];
}

/** `[name]: https://…` and `[^1]: …` are used by links and notes anywhere in the text. */
const definition = /^ {0,3}\[[^\]\n]+\]:/m;

const list = /^ {0,3}([-*+]|\d{1,9}[.)])(\s|$)/;
