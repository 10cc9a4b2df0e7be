"use client";

import { type KeyboardEvent, useCallback, useDeferredValue, useMemo, useRef, useState } from "react";
import { chaptersOf } from "@/lib/client/run/chapters";
import type { StepLoop } from "@/lib/client/run/run-step";
import type { RunView } from "@/lib/client/run/run-view";
import type { TimeAxis } from "@/lib/client/run/time-axis";
import { LoopRows } from "./loop-rows";
import { StepGroups } from "./step-groups";
import { Load, TimeScale } from "./time-scale";

export interface RunTimelineProps {
  loops: readonly StepLoop[];
  view: RunView;
  axis: TimeAxis;
  now: number;
  model: string;
  name: string;
  /** The step whose detail is open. */
  picked: string | null;
  onPick(key: string | null): void;
  onClose(): void;
}

/** In px; on phones both are more. */
const rowHeight = 24;
const headHeight = 200;

/** Loops with their steps as bars on one line of time. One step takes the focus; the arrow keys go on from it. */
export function RunTimeline(props: RunTimelineProps) {
  const { loops, view, axis, now, model, name, picked, onPick, onClose } = props;
  const [held, setHeld] = useState(picked);
  // The row of a step that is open from the beginning is scrolled to.
  const isWhole = useDeferredValue(true, picked !== null);
  const shown = isWhole ? loops : firstOf(loops);
  const loopOf = useMemo(
    () => new Map(loops.flatMap((loop) => loop.steps.map(({ key }) => [key, loop.number] as const))),
    [loops],
  );
  const chapters = useMemo(() => chaptersOf({ loops: shown, steps: view.steps }), [shown, view.steps]);
  const active = held !== null && loopOf.has(held) ? held : (loops[0]?.steps[0]?.key ?? null);
  const pick = useStable((key: string) => {
    setHeld(key);
    onPick(key === picked ? null : key);
  });
  const within = (loop: StepLoop, key: string | null) =>
    key !== null && loopOf.get(key) === loop.number ? key : null;
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === "Escape" && picked !== null) {
      event.preventDefault();
      return onClose();
    }
    const next = stepAfter(event);
    if (!next) return;
    event.preventDefault();
    const key = next.dataset.step ?? null;
    setHeld(key);
    next.focus();
    next.scrollIntoView({ block: "nearest" });
    if (picked !== null) onPick(key);
  };
  const drawLoop = (loop: StepLoop) => (
    <LoopRows
      key={loop.number}
      loop={loop}
      axis={axis}
      now={loop.to === null ? now : 0}
      model={model}
      active={within(loop, active)}
      picked={within(loop, picked)}
      onPick={pick}
    />
  );
  return (
    // The keys are those of the buttons inside.
    // biome-ignore lint/a11y/noStaticElementInteractions: see above
    <div className="relative isolate rule-t pb-2 text-mach" onKeyDown={onKeyDown}>
      <TimeScale axis={axis} name={name} />
      <Load axis={axis} loops={loops} now={now} />
      {chapters ? <StepGroups {...{ chapters, axis, now, picked, drawLoop }} /> : shown.map(drawLoop)}
    </div>
  );
}

/** As many as fill the window below its head; those further down are drawn after them, without holding up a key. */
function firstOf(loops: readonly StepLoop[]): readonly StepLoop[] {
  // Logs are read in the browser alone, but tests draw them without one.
  const room = typeof innerHeight === "undefined" ? Number.POSITIVE_INFINITY : innerHeight - headHeight;
  let height = 0;
  const last = loops.findIndex(({ steps }) => {
    height += (1 + steps.length) * rowHeight;
    return height >= room;
  });
  return last < 0 ? loops : loops.slice(0, last + 1);
}

/** The same function with each render, which does what the newest one does. */
function useStable<Args extends unknown[]>(act: (...args: Args) => void): (...args: Args) => void {
  const latest = useRef(act);
  latest.current = act;
  return useCallback((...args) => latest.current(...args), []);
}

/** The step that a key leads to; undefined for any other key, and at either end. */
function stepAfter(event: KeyboardEvent<HTMLElement>): HTMLElement | undefined {
  const { key, altKey, ctrlKey, metaKey, currentTarget, target } = event;
  if (altKey || ctrlKey || metaKey || !(target instanceof HTMLElement)) return undefined;
  const all = [...currentTarget.querySelectorAll<HTMLElement>("[data-step]")];
  const at = all.indexOf(target);
  if (at < 0) return undefined;
  switch (key) {
    case "ArrowUp":
      return all[at - 1];
    case "ArrowDown":
      return all[at + 1];
    case "Home":
      return all[0];
    case "End":
      return all.at(-1);
    default:
      return undefined;
  }
}
