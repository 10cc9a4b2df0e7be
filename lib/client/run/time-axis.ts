import { showDuration } from "./durations";
import type { StepLoop } from "./run-steps";

/** The time of a run as a line from 0 to 1. Times in which nothing ran are folded: they take a fixed part, however long. */
export interface TimeAxis {
  /** Epoch ms. */
  from: number;
  to: number;
  folds: readonly Fold[];
  /** What ran, in ms. */
  workedMs: number;
  /** How long a person was waited for while nothing else ran, in ms. */
  waitedMs: number;
}

export interface Fold {
  from: number;
  to: number;
  /** Else it had stopped, and went on later. */
  isWait: boolean;
}

export interface Tick {
  /** 0 to 1. */
  at: number;
  /** Since the run began. */
  ms: number;
  /** Between one round time and the next, in ms. */
  step: number;
  /** Where a fold begins or ends. */
  isEdge: boolean;
}

/** So much of the line is folds at most, and one of them. */
const foldedShare = 0.4;
const foldShare = 0.2;
/** A line of ten parts at most. */
const maxTicks = 10;
/** A shorter time in which nothing ran is the machine's. */
const shortestFoldMs = 500;

/** `now` is the end of what goes on; while the run goes on the line ends at a round time, so that it seldom moves. */
export function timeAxis(loops: readonly StepLoop[], now: number, isLive: boolean): TimeAxis {
  const steps = loops.flatMap((loop) => loop.steps);
  // Not spread into a call: that ends at some ten thousand of them.
  const from = loops.reduce((first, loop) => Math.min(first, loop.from), now);
  const spans = steps.flatMap((step) =>
    step.from === null ? [] : [{ from: step.from, to: step.to ?? now, isWait: step.kind === "wait", step }],
  );
  const waits = merged(spans.filter(({ isWait }) => isWait));
  const work = merged(
    spans.filter(
      ({ step }) =>
        step.kind === "model" || (step.kind === "call" && !asks(step.from, step.to ?? now, waits)),
    ),
  );
  const end = spans.reduce((last, { to }) => Math.max(last, to), from);
  const folds = gapsOf(work, from, end)
    .filter((gap) => gap.to - gap.from >= shortestFoldMs)
    .map((gap) => ({ ...gap, isWait: waits.some((wait) => wait.from < gap.to && wait.to > gap.from) }));
  const lengthOf = (some: readonly Span[]) => some.reduce((sum, span) => sum + span.to - span.from, 0);
  const workedMs = end - from - lengthOf(folds);
  return {
    ...{ from, folds, workedMs },
    to: isLive ? end + roundUp(workedMs) - workedMs : end,
    waitedMs: lengthOf(folds.filter(({ isWait }) => isWait)),
  };
}

/** Whether every time has the same place on both. */
export const isSameLine = (a: TimeAxis, b: TimeAxis): boolean =>
  a.from === b.from &&
  a.to === b.to &&
  a.folds.length === b.folds.length &&
  a.folds.every((fold, at) => {
    const other = b.folds[at];
    return fold.from === other?.from && fold.to === other.to && fold.isWait === other.isWait;
  });

/** Where a time is on the line, 0 to 1. */
export function placeOn({ from, to, folds }: TimeAxis, at: number): number {
  const width = foldWidth(folds.length);
  const folded = folds.reduce((sum, fold) => sum + fold.to - fold.from, 0);
  const scale = (1 - width * folds.length) / Math.max(1, to - from - folded);
  let place = (Math.min(Math.max(at, from), to) - from) * scale;
  for (const fold of folds) {
    if (at <= fold.from) break;
    const inside = Math.min(at, fold.to) - fold.from;
    place += inside * (width / (fold.to - fold.from) - scale);
  }
  return Math.min(1, Math.max(0, place));
}

/** Round times on the line, and the edges of folds; none inside a fold. */
export function ticksOf(axis: TimeAxis): Tick[] {
  const { from, to, folds } = axis;
  const share = 1 - foldWidth(folds.length) * folds.length;
  const folded = folds.reduce((sum, fold) => sum + fold.to - fold.from, 0);
  const step = roundStep((to - from - folded) / Math.max(1, Math.floor(maxTicks * share)));
  const ticks: Tick[] = [{ at: 0, ms: 0, step, isEdge: true }];
  let start = from;
  for (const end of [...folds.map((fold) => fold.from), to]) {
    const first = Math.ceil((start - from) / step) * step;
    for (let ms = first; ms <= end - from; ms += step)
      if (ms > 0) ticks.push({ at: placeOn(axis, from + ms), ms, step, isEdge: false });
    start = folds.find((fold) => fold.from === end)?.to ?? to;
  }
  const edges = folds
    .flatMap((fold) => [fold.from, fold.to])
    .map((at) => ({ at: placeOn(axis, at), ms: at - from, step, isEdge: true }));
  return [...ticks, ...edges];
}

/** `0`, `50 ms`, `4 s`, `5.25 s`, `1:05`: seconds with as many places as tell one round time from the next. */
export function tickName({ ms, step, isEdge }: Tick): string {
  if (ms === 0) return "0";
  if (ms < 1_000 || ms >= 59_950 || step >= 100 || isEdge) return showDuration(ms).replace(/\.0 s$/, " s");
  return `${(ms / 1000).toFixed(step < 10 ? 3 : 2)} s`;
}

/** How many calls of tools ran at once, as steps along the line: from each place on so many. */
export function loadOf(
  axis: TimeAxis,
  loops: readonly StepLoop[],
  now: number,
): { at: number; count: number }[] {
  const changes = loops
    .flatMap((loop) => loop.steps)
    .flatMap((step) =>
      step.kind !== "call" || step.from === null
        ? []
        : [
            { at: step.from, by: 1 },
            { at: step.to ?? now, by: -1 },
          ],
    )
    .sort((a, b) => a.at - b.at || a.by - b.by);
  const load: { at: number; count: number }[] = [];
  let count = 0;
  for (const { at, by } of changes) {
    count += by;
    load.push({ at: placeOn(axis, at), count });
  }
  return load;
}

interface Span {
  from: number;
  to: number;
}

const foldWidth = (count: number) => (count === 0 ? 0 : Math.min(foldShare, foldedShare / count));

/** A call that asks a person while it runs does not count as work in that time. */
const asks = (from: number | null, to: number, waits: readonly Span[]) =>
  from !== null && waits.some((wait) => wait.from >= from && wait.from < to);

function merged(spans: readonly Span[]): Span[] {
  const all: Span[] = [];
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else all.push({ from, to });
  }
  return all;
}

function gapsOf(work: readonly Span[], from: number, to: number): Span[] {
  const gaps: Span[] = [];
  let at = from;
  for (const span of [...work, { from: to, to }]) {
    if (span.from > at) gaps.push({ from: at, to: span.from });
    at = Math.max(at, span.to);
  }
  return gaps;
}

const roundTimes = [1, 2, 5];

/** 1, 2 or 5 and as many noughts; minutes are not special. */
function roundStep(ms: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, ms)));
  return (roundTimes.find((times) => times * power >= ms) ?? 10) * power;
}

/** With room for more: the line of a run that goes on is moved each time it is full. */
const roundUp = (ms: number) => Math.max(1_000, roundStep(ms * 1.05));

/** The most calls that ran at once. */
export const mostAtOnce = (load: ReturnType<typeof loadOf>): number =>
  load.reduce((most, { count }) => Math.max(most, count), 0);
