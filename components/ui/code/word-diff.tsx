"use client";

import { diffWordsWithSpace } from "diff";
import { memo } from "react";
import { useLocale } from "use-intl";
import { allNew, maxEditLength } from "./diff-limit";

/** Two texts as one: what went and what came, also where words are not apart by spaces. */
export default memo(function WordDiff({ before, now }: { before: string; now: string }) {
  const locale = useLocale();
  const intlSegmenter = new Intl.Segmenter(locale, { granularity: "word" });
  const pieces = diffWordsWithSpace(before, now, { intlSegmenter, maxEditLength }) ?? allNew(before, now);
  return (
    <p className="diff leading-6">
      {pieces.map(({ value, added, removed }, at) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a text have no identity but their place
        if (added) return <ins key={at}>{value}</ins>;
        // biome-ignore lint/suspicious/noArrayIndexKey: the same
        return removed ? <del key={at}>{value}</del> : <span key={at}>{value}</span>;
      })}
    </p>
  );
});
