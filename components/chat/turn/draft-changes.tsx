"use client";

import { lazy, Suspense } from "react";
import { useTranslations } from "use-intl";

// Read with the first round that has one before it; the page is lighter without it.
const WordDiff = lazy(() => import("@/components/ui/code/word-diff"));

const longest = 20_000;
/** Words of a text whose changes are worth a look. */
const fewest = 10;

/** What an agent changed in its text since the round before, word by word; nothing where the texts have little in common. */
export function DraftChanges({ before, now, round }: { before: string; now: string; round: number }) {
  const t = useTranslations("chat.chapters");
  if (!before || !now || before === now || before.length + now.length > longest || !isRevision(before, now))
    return null;
  return (
    <details className="mt-1 mb-2 text-mach">
      <summary className="leading-6 text-ink-2">{t("changes", { round })}</summary>
      <Suspense fallback={<p className="meta">…</p>}>
        <WordDiff before={before} now={now} />
      </Suspense>
    </details>
  );
}

/** A new critique is no revision of the last one, and a few words are seen at a glance. */
function isRevision(before: string, now: string): boolean {
  const old = new Set(pieces(before));
  const fresh = pieces(now);
  return old.size >= fewest && fresh.filter((piece) => old.has(piece)).length >= fresh.length * 0.4;
}

const pieces = (text: string): string[] =>
  text.match(/[\u3040-\u30ff\u4e00-\u9fff]|[^\s\u3040-\u30ff\u4e00-\u9fff]+/g) ?? [];
