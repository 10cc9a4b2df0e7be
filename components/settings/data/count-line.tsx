"use client";

import { type ReactNode, useState } from "react";
import { useTranslations } from "use-intl";
import { TextButton } from "@/components/ui/controls/text-button";
import type { LeftOut } from "@/lib/protocol/imports";

export interface CountLineProps {
  count: number;
  words: string;
  detail?: string;
  /** Opens in place. */
  more?: ReactNode;
}

/** A number, what it counts, and a little more about it. */
export function CountLine({ count, words, detail, more }: CountLineProps) {
  const t = useTranslations("settings.data.import");
  const [isOpen, setOpen] = useState(false);
  if (count === 0) return null;
  return (
    <li className="grid grid-cols-[44px_minmax(0,1fr)_auto] items-baseline gap-x-3 py-1.5 rule-t">
      <span className="text-right font-semibold tabular-nums">{count}</span>
      <span>
        {words} {detail && <small className="text-micro text-ink-3">{detail}</small>}
      </span>
      {more ? (
        <TextButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? t("lessDetails") : t("details")}
        </TextButton>
      ) : (
        <span />
      )}
      {isOpen && more && <div className="col-span-2 col-start-2 text-micro text-ink-2">{more}</div>}
    </li>
  );
}

/** What of a file is not taken over, by kind. */
export function LeftOutLine({ leftOut }: { leftOut: readonly LeftOut[] }) {
  const t = useTranslations("settings.data.import");
  const counts = new Map<LeftOut["what"], number>();
  for (const { what, count } of leftOut) counts.set(what, (counts.get(what) ?? 0) + count);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const more = (
    <ul>
      {[...counts].map(([what, count]) => (
        <li key={what}>{t(`leftOut.${what}`, { count })}</li>
      ))}
    </ul>
  );
  return <CountLine count={total} words={t("left")} more={more} />;
}
