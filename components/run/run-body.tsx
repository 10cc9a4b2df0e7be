"use client";

import { useEffect, useMemo, useRef, useState } from "react";
import { useNow } from "@/components/chat/parts/use-now";
import { useSentence } from "@/components/ui/words/sentences";
import type { RunLogState } from "@/lib/client/run/run-log";
import { isSameLine, timeAxis } from "@/lib/client/run/time-axis";
import type { RunItem } from "@/lib/protocol/http";
import { RunAgain } from "./run-again";
import { RunFigures } from "./run-figures";
import { RunForks } from "./run-forks";
import { RunTimeline } from "./run-timeline";
import { StepDetail } from "./step-detail";
import { useOpened } from "./use-opened";
import { RunForking } from "./use-step-fork";

export interface RunBodyProps {
  state: RunLogState;
  run: RunItem;
  /** The address of its answer. */
  conversation: string;
  model: string;
  name: string;
}

/** Figures and timeline; the detail of a step stands below, on phones as a sheet over them. */
export function RunBody({ state: { loops, view }, run, conversation, model, name }: RunBodyProps) {
  const inWords = useSentence();
  const isLive = view.status === "running";
  // While a person is waited for the line changes with each look, and every row with it.
  const now = useNow(isLive || view.status === "waiting", isLive ? 250 : 1_000);
  const axis = useMemo(() => timeAxis(loops, now, isLive), [loops, now, isLive]);
  const [line, setLine] = useState(axis);
  if (line !== axis && !isSameLine(line, axis)) setLine(axis);
  const { opened, openStep, setTab } = useOpened();
  const { step: picked, tab } = opened;
  const scroll = useRef<HTMLDivElement>(null);
  const steps = useMemo(() => loops.flatMap((loop) => loop.steps), [loops]);
  const turns = useMemo(() => steps.filter((each) => each.kind === "model"), [steps]);
  const step = steps.find(({ key }) => key === picked);
  const goTo = (key: string) => {
    openStep(key);
    const row = scroll.current?.querySelector<HTMLElement>(`[data-step="${CSS.escape(key)}"]`);
    if (document.activeElement?.matches("[data-step]")) row?.focus({ preventScroll: true });
  };
  const close = () => {
    openStep(null);
    scroll.current?.querySelector<HTMLElement>('[data-step][tabindex="0"]')?.focus();
  };
  // The detail takes room: what it tells of stays in sight.
  useEffect(() => {
    if (picked === null) return;
    scroll.current
      ?.querySelector(`[data-step="${CSS.escape(picked)}"]`)
      ?.scrollIntoView({ block: "nearest" });
  }, [picked]);
  return (
    <>
      <div
        ref={scroll}
        data-scroll=""
        className="relative min-h-0 shrink overflow-x-hidden overflow-y-auto px-6 pb-4 thin-bar phone:px-4"
      >
        <RunForks run={run} />
        <RunAgain run={run} />
        <RunFigures view={view} loops={loops} axis={axis} now={now} />
        {view.error && <p className="pb-3 text-mach text-shu">{inWords(view.error.message)}</p>}
        <RunTimeline
          {...{ loops, view, axis: line, now, model, name, picked }}
          onPick={openStep}
          onClose={close}
        />
        {step && <div className="hidden h-[50dvh] phone:block" />}
      </div>
      {step && (
        <RunForking>
          <StepDetail
            {...{ step, run, view, model, conversation, now, turns, tab }}
            onTab={setTab}
            onPick={goTo}
            onClose={close}
          />
        </RunForking>
      )}
    </>
  );
}
