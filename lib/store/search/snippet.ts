import type { SnippetPart } from "@/lib/protocol/search";
import { align } from "./align";
import { type SearchQuery, toPatterns } from "./search-query";

/** Characters of a snippet, and of them before the first hit. */
const length = 160;
const before = 40;
/** Places that are looked at for the best one. */
const maxHits = 200;

/** Of Markdown, what only stands in the way where nothing is drawn: bold, code, and what begins a heading. */
const marks = /\*\*|`+|(?<=^|\n)#{1,6} /g;

interface Hit {
  from: number;
  to: number;
  word: number;
}

/** The part of a text that has most of the words, cut where no character is, with what was found in it. */
export function snippetOf(text: string, query: SearchQuery): SnippetPart[] {
  const { normalized, begin, end, floor } = align(text);
  const hits = toPatterns(query)
    .flatMap((pattern, word) => findAll(normalized, pattern).map((place) => ({ ...place, word })))
    .map(({ from, to, word }): Hit => ({ from: begin(from), to: end(to), word }))
    .toSorted((a, b) => a.from - b.from || b.to - a.to);
  const first = bestOf(hits);
  const start = floor(Math.max(0, Math.min((first?.from ?? 0) - before, text.length - length)));
  const stop = floor(start + length);
  const parts: SnippetPart[] = [];
  const add = (from: number, to: number, hit: boolean) => {
    const piece = text.slice(from, to);
    const isWithinLine = from > 0 && text[from - 1] !== "\n";
    // `C# is` has no heading behind the C that was found.
    const unmarked = (mark: string, place: number) =>
      isWithinLine && place === 0 && mark[0] === "#" ? mark : "";
    const words = (hit ? piece : piece.replace(marks, unmarked)).replace(/\s+/g, " ");
    if (words !== "") parts.push({ text: words, hit });
  };
  let at = start;
  for (const hit of hits) {
    const [from, to] = [Math.max(hit.from, at), Math.min(hit.to, stop)];
    if (from >= to) continue;
    add(at, from, false);
    add(from, to, true);
    at = to;
  }
  add(at, stop, false);
  return [
    ...(start > 0 ? [{ text: "…", hit: false }] : []),
    ...parts,
    ...(stop < text.length ? [{ text: "…", hit: false }] : []),
  ].reduce(joinSame, []);
}

/** The hit from which on a snippet holds the most different words. */
function bestOf(hits: readonly Hit[]): Hit | undefined {
  let [best, most] = [hits[0], 0];
  for (const [at, hit] of hits.slice(0, maxHits).entries()) {
    const words = new Set<number>();
    for (const { word, to } of hits.slice(at, at + maxHits)) {
      if (to > hit.from + length - before) break;
      words.add(word);
    }
    if (words.size > most) [best, most] = [hit, words.size];
  }
  return best;
}

function findAll(text: string, pattern: RegExp): { from: number; to: number }[] {
  const found: { from: number; to: number }[] = [];
  for (const match of text.matchAll(pattern)) {
    found.push({ from: match.index, to: match.index + match[0].length });
    if (found.length === maxHits) break;
  }
  return found;
}

function joinSame(parts: SnippetPart[], part: SnippetPart): SnippetPart[] {
  const last = parts.at(-1);
  if (last?.hit === part.hit) last.text += part.text;
  else parts.push({ ...part });
  return parts;
}
