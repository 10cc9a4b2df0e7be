"use client";

import { memo } from "react";
import { useTranslations } from "use-intl";
import { showDuration } from "@/lib/client/run/durations";
import type { ReasoningView } from "@/lib/client/run/run-view";
import { type BarSpan, LedgerLine } from "./ledger-line";

export interface ReasoningLineProps {
  item: ReasoningView;
  bar: BarSpan | null;
  /** Of a thought that goes on: how long it takes so far. */
  soFarMs: number | null;
  readOnly?: boolean | undefined;
}

export const ReasoningLine = memo(function ReasoningLine({
  item,
  bar,
  soFarMs,
  readOnly,
}: ReasoningLineProps) {
  const t = useTranslations("chat.loop");
  const spent = item.startedAt === null || item.endedAt === null ? null : item.endedAt - item.startedAt;
  const time = soFarMs ?? (spent === 0 ? null : spent);
  const words = item.done
    ? time === null
      ? t("thought")
      : t("thoughtFor", { time: showDuration(time) })
    : t("thinking");
  return (
    <LedgerLine
      time={time === null ? null : showDuration(time)}
      bar={bar}
      readOnly={readOnly ?? false}
      detail={() => <p className="whitespace-pre-wrap wrap-anywhere text-ink-2">{item.text.trim()}</p>}
    >
      <span className="truncate">{words}</span>
      <span data-cell="argument" className="truncate leading-6 text-ink-3 italic [&:lang(ja)]:not-italic">
        {firstClause(item.text)}
      </span>
      <span data-cell="note" />
    </LedgerLine>
  );
});

/** As much of a thought as says where it goes. */
function firstClause(text: string): string {
  const plain = text.replace(/[*_#`>]+/g, "").trim();
  const end = plain.search(/[.!?](\s|$)|[。！？]|\n/);
  return (end > 0 ? plain.slice(0, end) : plain).slice(0, 200);
}
