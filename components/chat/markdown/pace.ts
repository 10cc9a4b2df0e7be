import type { MarkdownBlock } from "@/lib/client/text/markdown-pieces";
import { markdownCost } from "@/lib/protocol/markdown-cost";

/** A block that cannot be cut and takes longer, as `markdownCost` counts, is not drawn in each frame. */
const freeMs = 12;
/** The part of the time that such a block may take: one in this many. */
const share = 4;

/** How often a growing block is drawn: as often as its cost allows, and at the latest when nothing has come for as long. */
export class Pace {
  /** Until it is drawn again. */
  waitMs = 0;
  private shown: MarkdownBlock | undefined;
  private shownAt = 0;

  /** The block as it is to be drawn now. */
  next(block: MarkdownBlock): MarkdownBlock {
    const now = performance.now();
    const { shown } = this;
    const isDue = !shown || shown === block || now - this.shownAt >= this.waitMs || !isLonger(shown, block);
    if (!isDue) return shown;
    if (shown !== block) {
      const cost = costMs(block);
      this.waitMs = cost > freeMs ? cost * share : 0;
      this.shown = block;
      this.shownAt = now;
    }
    return block;
  }
}

/** Only what is parsed again counts: the last piece. */
const costMs = ({ kind, pieces }: MarkdownBlock) =>
  kind === "code" ? 0 : markdownCost(pieces.at(-1) ?? "") / 1_000;

const isLonger = (before: MarkdownBlock, now: MarkdownBlock) =>
  before.kind === now.kind && (now.pieces[0] ?? "").startsWith(before.pieces[0] ?? "");
