"use client";

import { memo } from "react";
import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { withBlocks } from "@/components/ui/redacted";
import { showDuration } from "@/lib/client/run/durations";
import type { ReasoningView } from "@/lib/client/run/run-view";
import { beginningOf } from "@/lib/protocol/redacted-text";
import { type BarSpan, LedgerLine } from "./ledger-line";

export interface ReasoningLineProps {
  item: ReasoningView;
  bar: BarSpan | null;
  /** Of a thought that goes on: how long it takes so far. */
  soFarMs: number | null;
  readOnly?: boolean | undefined;
  /** A copy from the answer that this one was forked from. */
  kept: boolean;
}

export const ReasoningLine = memo(function ReasoningLine({
  item,
  bar,
  soFarMs,
  readOnly,
  kept,
}: ReasoningLineProps) {
  const fork = useTranslations("chat.fork");
  const t = useTranslations("chat.loop");
  const spent = item.startedAt === null || item.endedAt === null ? null : item.endedAt - item.startedAt;
  const time = soFarMs ?? (spent === 0 ? null : spent);
  const words = item.done
    ? time === null
      ? t("thought")
      : t("thoughtFor", { time: showDuration(time) })
    : t("thinking");
  const clause = firstClause(item.text);
  return (
    <LedgerLine
      time={time === null ? null : showDuration(time)}
      bar={kept ? "none" : bar}
      readOnly={readOnly ?? false}
      detail={() => (
        <p className="whitespace-pre-wrap wrap-anywhere text-ink-2">{withBlocks(item.text.trim())}</p>
      )}
    >
      <span className="truncate">{words}</span>
      <span
        data-cell="argument"
        className={cn(
          "truncate leading-6 text-ink-3",
          !upright.test(clause) && "italic [&:lang(ja)]:not-italic",
        )}
      >
        {withBlocks(clause)}
      </span>
      <span data-cell="note" className="text-[12px] whitespace-nowrap text-ink-3">
        {kept && fork("kept")}
      </span>
    </LedgerLine>
  );
});

/** Kana and Chinese characters, which have no italics, whatever the language of the page is. */
const upright = /[\u3040-\u30ff\u4e00-\u9fff]/;

/** As much of a thought as says where it goes. */
function firstClause(text: string): string {
  const plain = text.replace(/[*_#`>]+/g, "").trim();
  const end = plain.search(/[.!?](\s|$)|[。！？]|\n/);
  return beginningOf(end > 0 ? plain.slice(0, end) : plain, 200);
}
