/** A few words on either side are enough to see what has changed. */
const maxShown = 40;

/** What stands in a text in place of what: without what both begin and end with, in whole words, each cut to 40 characters. */
export function shortChange(before: string, after: string): { was: string; now: string } {
  const [old, next] = [words(before), words(after)];
  const most = Math.min(old.length, next.length);
  let start = 0;
  while (start < most && old[start] === next[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === next.at(-1 - end)) end++;
  const shown = (parts: string[]) =>
    cut(
      parts
        .slice(start, parts.length - end)
        .join("")
        .trim(),
    );
  return { was: shown(old), now: shown(next) };
}

const words = (text: string): string[] => text.match(/[\p{L}\p{N}_.-]+|\s+|[^\p{L}\p{N}_.\s-]/gu) ?? [];

function cut(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > maxShown ? `${line.slice(0, maxShown - 1)}…` : line;
}
