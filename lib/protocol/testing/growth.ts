const tries = 5;
/** After this much processor time a second try is enough: what takes long is measured well. */
const enoughMs = 500;
/** Below this the clock and the garbage collector are what is measured. */
const floorMs = 5;

/** Nothing that grows with its input is near this when it is measured well. */
const doubtful = 6;
const measurements = 3;
/** What nothing is above that grows with its input: only this often on a machine that is busy. */
const wrong = 8;
const mostMeasurements = 10;

/**
 * How many times as much processor time the work takes at four times the size: 4 where it grows with its input, 16 where it
 * grows with the square. Other work of the machine only adds, so the least of several tries counts, and a doubtful ratio
 * is measured again.
 */
export function growth(size: number, work: (size: number) => unknown): number {
  work(size); // the first time is compiled
  let least = Number.POSITIVE_INFINITY;
  for (
    let count = 0;
    count < (least > wrong ? mostMeasurements : measurements) && least > doubtful;
    count++
  ) {
    const small = Math.max(
      floorMs,
      cpuMs(() => work(size)),
    );
    least = Math.min(least, cpuMs(() => work(4 * size)) / small);
  }
  return least;
}

function cpuMs(work: () => unknown): number {
  let least = Number.POSITIVE_INFINITY;
  let spent = 0;
  for (let round = 0; round < 2 || (round < tries && spent < enoughMs); round++) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    const ms = (user + system) / 1_000;
    least = Math.min(least, ms);
    spent += ms;
  }
  return least;
}
