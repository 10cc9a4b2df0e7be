import { Fragment, useMemo } from "react";
import { findWords } from "@/lib/client/text/find-words";

/** A hit is bold on the stroke of a pale marker. */
const markLook =
  "bg-transparent font-semibold text-ink shadow-[inset_0_-7px_color-mix(in_srgb,var(--thread)_55%,transparent)]";

export function Hit({ children }: { children: string }) {
  return <mark className={markLook}>{children}</mark>;
}

/** A text in which the words are marked. */
export function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const stretches = useMemo(() => findWords(text, words, 50), [text, words]);
  return (
    <>
      {stretches.map(([from, to], at) => (
        <Fragment key={from}>
          {text.slice(stretches[at - 1]?.[1] ?? 0, from)}
          <Hit>{text.slice(from, to)}</Hit>
        </Fragment>
      ))}
      {text.slice(stretches.at(-1)?.[1] ?? 0)}
    </>
  );
}
