import { findWords, wordsOf } from "@/lib/client/text/find-words";

/** Of one turn, in characters: what is further on is found, and not marked. */
const maxText = 400_000;
const name = "found";

/** Marks the words in what is drawn, without touching it, and returns where they stand. Nothing marked, nothing left of before. */
export function markWords(root: Element | null, query: string): Range[] {
  const ranges = root ? rangesOf(root, wordsOf(query)) : [];
  // Missing in older browsers, where one is taken to the place all the same.
  if (typeof CSS !== "undefined" && CSS.highlights) {
    if (ranges.length > 0) CSS.highlights.set(name, new Highlight(...ranges));
    else CSS.highlights.delete(name);
  }
  return ranges;
}

const blocks = "p, li, td, th, pre, h1, h2, h3, h4, h5, h6, dt, dd, button, summary, blockquote, small, div";

/** A word may go on in the next element (code is drawn in pieces), but not in the next block. */
function rangesOf(root: Element, words: readonly string[]): Range[] {
  const pieces: { node: Text; from: number }[] = [];
  let text = "";
  let block: Element | null = null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const parent = node.parentElement;
    if (!parent || parent.closest("svg, style, script, [aria-hidden=true], textarea")) continue;
    const own = parent.closest(blocks);
    if (own !== block) text += "\n";
    block = own;
    pieces.push({ node, from: text.length });
    text += node.data;
    if (text.length > maxText) break;
  }
  return findWords(text, words).map(([from, to]) => {
    const range = document.createRange();
    const place = (at: number) => {
      const piece = pieces.findLast((each) => each.from <= at) ?? pieces[0];
      return [piece?.node ?? root, Math.min(at - (piece?.from ?? 0), piece?.node.length ?? 0)] as const;
    };
    range.setStart(...place(from));
    const [end, last] = place(to - 1);
    range.setEnd(end, Math.min(last + 1, (end as Text).length));
    return range;
  });
}
