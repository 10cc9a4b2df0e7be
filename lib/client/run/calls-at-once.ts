import type { StepLoop } from "./run-step";
import { placeOn, type TimeAxis } from "./time-axis";

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

/** The most calls that ran at once. */
export const mostAtOnce = (load: ReturnType<typeof loadOf>): number =>
  load.reduce((most, { count }) => Math.max(most, count), 0);
