import { diffLines } from "diff";
import { memo } from "react";
import { allNew, maxEditLength } from "./diff-limit";

/** Lines that did not change, around those that did. */
const around = 2;

/** Two texts line by line; of long stretches that are alike only the ends are shown. */
export default memo(function LineDiff({ before, now }: { before: string; now: string }) {
  const pieces = diffLines(`${before}\n`, `${now}\n`, { maxEditLength }) ?? allNew(before, now);
  return (
    <pre className="diff font-mono text-[12px]/5 *:block [&>ins]:shadow-none">
      {pieces.map(({ value, added, removed }, at) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no identity but their place
        if (added) return <ins key={at}>{value}</ins>;
        // biome-ignore lint/suspicious/noArrayIndexKey: the same
        if (removed) return <del key={at}>{value}</del>;
        // biome-ignore lint/suspicious/noArrayIndexKey: the same
        return <span key={at}>{shorten(value, at === 0, at === pieces.length - 1)}</span>;
      })}
    </pre>
  );
});

function shorten(text: string, isFirst: boolean, isLast: boolean): string {
  const lines = text.split("\n").slice(0, -1);
  const head = isFirst ? 0 : around;
  const tail = isLast ? 0 : around;
  if (lines.length <= head + tail + 1) return text;
  return `${[...lines.slice(0, head), "…", ...lines.slice(lines.length - tail)].join("\n")}\n`;
}
