import { callOf } from "@/lib/protocol/pending-requests";
import { showDuration } from "./durations";
import type { StepLoop } from "./run-step";

/** The time of a run as a line from 0 to 1. Times in which nothing ran are folded: they take a fixed part, however long. */
export interface TimeAxis {
  /** Epoch ms. */
  from: number;
  to: number;
  folds: readonly Fold[];
  /** What ran, in ms. */
  workedMs: number;
  /** How long a person was waited for, in ms: from question to answer, as in the rows. */
  waitedMs: number;
}

export interface Fold {
  from: number;
  to: number;
  /** Of it a person was waited for, in ms; null: the run had stopped, and went on later. */
  waitedMs: number | null;
  /** Where it begins, 0 to 1. */
  place: number;
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
    step.from === null ? [] : [{ from: step.from, to: step.to ?? now, step }],
  );
  const waits = merged(spans.filter(({ step }) => step.kind === "wait"));
  // A call that asks a person while it runs does not count as work in that time.
  const askedAt = new Map(
    steps.flatMap((step) => (step.kind === "wait" ? [[callOf(step.request), step.from] as const] : [])),
  );
  const work = merged(
    spans.filter(
      ({ from, step }) =>
        step.kind === "model" || (step.kind === "call" && (askedAt.get(step.item.id) ?? from - 1) < from),
    ),
  );
  const end = spans.reduce((last, { to }) => Math.max(last, to), from);
  const gaps = gapsOf(work, from, end).filter((gap) => gap.to - gap.from >= shortestFoldMs);
  const workedMs = end - from - lengthOf(gaps);
  const to = isLive ? end + roundUp(workedMs) - workedMs : end;
  return {
    ...{ from, to, workedMs },
    folds: placed(gaps, { from, to }).map((gap) => ({ ...gap, waitedMs: waitedIn(gap, waits) })),
    waitedMs: lengthOf(waits),
  };
}

const lengthOf = (spans: readonly Span[]) => spans.reduce((sum, span) => sum + span.to - span.from, 0);

/** Gaps with their places on the line, each after those before it. */
function placed(gaps: readonly Span[], { from, to }: Span): (Span & { place: number })[] {
  const width = foldWidth(gaps.length);
  const scale = (1 - width * gaps.length) / Math.max(1, to - from - lengthOf(gaps));
  let folded = 0;
  return gaps.map((gap, at) => {
    const place = (gap.from - from - folded) * scale + width * at;
    folded += gap.to - gap.from;
    return { ...gap, place };
  });
}

/** Null where no wait is in it. */
function waitedIn(gap: Span, waits: readonly Span[]): number | null {
  let waited: number | null = null;
  for (let at = firstAfter(waits, gap.from, "to"); (waits[at]?.from ?? gap.to) < gap.to; at++) {
    const wait = waits[at] as Span;
    waited = (waited ?? 0) + Math.min(wait.to, gap.to) - Math.max(wait.from, gap.from);
  }
  return waited;
}

/** The place of the first span, of those that follow each other, that begins or ends after a time. */
function firstAfter(spans: readonly Span[], time: number, edge: "from" | "to"): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle] as Span)[edge] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Whether every time has the same place on both. */
export const isSameLine = (a: TimeAxis, b: TimeAxis): boolean =>
  a.from === b.from &&
  a.to === b.to &&
  a.folds.length === b.folds.length &&
  a.folds.every((fold, at) => {
    const other = b.folds[at];
    return fold.from === other?.from && fold.to === other.to && fold.waitedMs === other.waitedMs;
  });

/** Where a time is on the line, 0 to 1. */
export function placeOn({ from, to, folds }: TimeAxis, at: number): number {
  const width = foldWidth(folds.length);
  const time = Math.min(Math.max(at, from), to);
  const next = firstAfter(folds, time, "from");
  const fold = folds[next - 1];
  if (fold && time <= fold.to) return fold.place + ((time - fold.from) * width) / (fold.to - fold.from);
  // Between two folds, or an end of the line, the scale is the same.
  const [start, place] = fold ? [fold.to, fold.place + width] : [from, 0];
  const end = folds[next] ?? { from: to, place: 1 };
  return place + ((time - start) * (end.place - place)) / Math.max(1, end.from - start);
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

interface Span {
  from: number;
  to: number;
}

const foldWidth = (count: number) => (count === 0 ? 0 : Math.min(foldShare, foldedShare / count));

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
