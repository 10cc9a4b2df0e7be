"use client";

import { type ReactNode, useContext, useMemo, useState } from "react";
import { type AnswerView, canForkAt, type TurnView } from "@/lib/client/run/messages-to-turns";
import type { LoopView } from "@/lib/client/run/run-view";
import { Forker, type ForkPlaceAt, type TurnFork } from "./fork-context";

interface TurnForking {
  lines: TurnFork;
  /** Where the person edits it, to be drawn under the line that it is about. */
  place: ReactNode;
  /** The loop at which it is forked: those after it fall away, in a workflow those of the same agent. */
  forked: LoopView | null;
}

/** What a turn's lines need to fork it. Nothing can be forked while something runs. */
export function useTurnFork({ answer }: TurnView, busy: boolean): TurnForking {
  const forker = useContext(Forker);
  const [at, setAt] = useState<ForkPlaceAt | null>(null);
  const runId = answer?.view.runId ?? null;
  const canFork = forker !== null && !busy && answer !== null && answer.view.status !== "running";
  // Another version is shown now.
  const [shownRun, setShownRun] = useState(runId);
  if (shownRun !== runId) {
    setShownRun(runId);
    setAt(null);
  }
  const fork = answer?.fork;
  const forked = answer?.view.loops.find(({ number }) => number === at?.loop) ?? null;
  const open = forked && at;
  const lines = useMemo<TurnFork>(
    () => ({ fork, at: open, begin: canFork ? setAt : undefined }),
    [fork, open, canFork],
  );
  if (!forker || !open || !answer) return { lines, place: null, forked: null };
  const { Place } = forker;
  return {
    lines,
    place: <Place answer={answer} at={open} busy={busy} onChange={setAt} />,
    forked,
  };
}

/** The words that end an answer have no line: its foot forks at them. Absent where they are a person's already. */
export function forkOfWords(
  { view, isEdited, fork }: AnswerView,
  begin: TurnFork["begin"],
): (() => void) | undefined {
  return isEdited ? undefined : forkOfLoop(view.loops.at(-1), { fork, begin });
}

/** The same for the last loop of an agent. Absent where it has no words, or calls beside them, or JSON. */
export function forkOfLoop(
  loop: LoopView | undefined,
  { fork, begin }: Pick<TurnFork, "fork" | "begin">,
): (() => void) | undefined {
  const kinds = loop?.items.map(({ kind }) => kind) ?? [];
  const hasWords = kinds.includes("text") && !kinds.includes("tool") && !kinds.includes("json");
  if (!begin || !loop || !hasWords || !canForkAt(loop, fork)) return undefined;
  return () => begin({ loop: loop.number, call: null, part: "text" });
}
