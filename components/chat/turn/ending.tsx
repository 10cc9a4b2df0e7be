"use client";

import type { ReactNode } from "react";
import { type DateTimeFormatOptions, useFormatter, useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { usePageRuns } from "@/components/ui/use-page-runs";
import { useSentence } from "@/components/ui/words/sentences";
import { useGap } from "@/components/ui/words/use-gap";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import { losesWords } from "@/lib/client/run/reduce-run";
import type { RunView } from "@/lib/client/run/run-view";
import type { TurnActions } from "./turn-actions";

export interface EndingProps {
  view: RunView;
  turn: TurnView;
  actions: TurnActions | undefined;
  busy: boolean;
}

/** How an answer ended, where that was not by itself: in plain words, with what to do next. */
export function Ending({ view, turn, actions, busy }: EndingProps) {
  const t = useTranslations("chat.ending");
  const inWords = useSentence();
  const gap = useGap();
  const format = useFormatter();
  // The server does not know what time it is where people are: it keeps the room for it.
  const runs = usePageRuns();
  const ending = endingOf(view);
  if (!ending) return null;
  const { runId } = view;
  const retryAt = ending.word === "error" ? view.error?.retryAt : undefined;
  const label = t(`do.${ending.label}`);
  // What failed at once may be told before the server's id of the question is known.
  const isKnown = Boolean(turn.answer?.messageId ?? turn.question?.id);
  const buttons = (next: "resume" | "again" | null): ReactNode =>
    actions &&
    next && (
      <Button
        small
        disabled={busy || (next === "again" && !isKnown)}
        onClick={() => (next === "resume" && runId ? actions.resume(runId) : actions.regenerate(turn))}
      >
        {label}
      </Button>
    );
  return (
    <div className="mt-1 flex items-center gap-3 py-1 text-mach text-ink-2 phone:flex-wrap">
      <p className="text-pretty">
        {ending.failed && <b className="font-semibold text-shu">{t("failed")}</b>}
        {ending.failed && gap}
        {ending.word === "error"
          ? inWords(view.error?.message ?? "")
          : t(ending.word, { loops: view.iteration })}
        {actions && ending.next === "resume" && losesWords(view) && (
          <span className="text-ink-3">
            {gap}
            {t(turn.answer?.agent ? "stepAgain" : "partAgain", { label })}
          </span>
        )}
        {retryAt !== undefined && (
          <span className={runs ? undefined : "invisible"}>
            {gap}
            {t("retryAt", { time: runs ? format.dateTime(retryAt, clock(retryAt)) : "00:00" })}
          </span>
        )}
      </p>
      {buttons(ending.next)}
    </div>
  );
}

/** The time of day where people are, with the day when it is another one. */
function clock(at: number): DateTimeFormatOptions {
  const isToday = new Date(at).toDateString() === new Date().toDateString();
  return { timeStyle: "short", hourCycle: "h23", ...(!isToday && { dateStyle: "medium" }) };
}

interface EndingWords {
  word: "limit" | "timeout" | "cut" | "stopped" | "interrupted" | "error" | "unexplained";
  next: "resume" | "again";
  label: "continue" | "resume" | "again";
  failed?: boolean;
}

function endingOf({ status, stopReason, error }: RunView): EndingWords | null {
  switch (status) {
    case "running":
    case "waiting":
      return null;
    case "stopped":
      return { word: "stopped", next: "resume", label: "continue" };
    case "interrupted":
      return { word: "interrupted", next: "resume", label: "resume" };
    case "failed":
      return { word: error ? "error" : "unexplained", next: "again", label: "again", failed: true };
    case "completed":
      if (stopReason === "max_iterations") return { word: "limit", next: "resume", label: "continue" };
      if (stopReason === "timeout") return { word: "timeout", next: "resume", label: "continue" };
      return stopReason === "max_tokens" ? { word: "cut", next: "resume", label: "continue" } : null;
  }
}
