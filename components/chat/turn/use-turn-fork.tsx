"use client";

import { type ReactNode, useContext, useMemo, useState } from "react";
import { type AnswerView, canForkAt, type TurnView } from "@/lib/client/run/messages-to-turns";
import { Forker, type ForkPlaceAt, type TurnFork } from "./fork-context";

interface TurnForking {
  lines: TurnFork;
  /** Where the person edits it, to be drawn under the line that it is about. */
  place: ReactNode;
  /** The number of the first loop that falls away with it. */
  fallsFrom: number | null;
}

/** What a turn's lines need to fork it. The runs of a workflow cannot be forked, and nothing can while something runs. */
export function useTurnFork({ answer }: TurnView, busy: boolean): TurnForking {
  const forker = useContext(Forker);
  const [at, setAt] = useState<ForkPlaceAt | null>(null);
  const runId = answer?.view.runId ?? null;
  const canFork =
    forker !== null && !busy && answer !== null && answer.view.status !== "running" && !answer.agent;
  // Another version is shown now.
  const [shownRun, setShownRun] = useState(runId);
  if (shownRun !== runId) {
    setShownRun(runId);
    setAt(null);
  }
  const fork = answer?.fork;
  const open = answer?.view.loops.some(({ number }) => number === at?.loop) ? at : null;
  const lines = useMemo<TurnFork>(
    () => ({ fork, at: open, begin: canFork ? setAt : undefined }),
    [fork, open, canFork],
  );
  if (!forker || !open || !answer) return { lines, place: null, fallsFrom: null };
  const { Place } = forker;
  return {
    lines,
    place: <Place answer={answer} at={open} busy={busy} onChange={setAt} />,
    fallsFrom: open.loop + 1,
  };
}

/** The words that end an answer have no line: its foot forks at them. Absent where they are a person's already, or JSON. */
export function forkOfWords(
  { view, isEdited, fork }: AnswerView,
  begin: TurnFork["begin"],
): (() => void) | undefined {
  const loop = view.loops.at(-1);
  const kinds = loop?.items.map(({ kind }) => kind) ?? [];
  const hasWords = kinds.includes("text") && !kinds.includes("tool") && !kinds.includes("json");
  if (!begin || !loop || isEdited || !hasWords || !canForkAt(loop, fork)) return undefined;
  return () => begin({ loop: loop.number, call: null, part: "text" });
}
