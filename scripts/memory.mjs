import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Code that was not used for a while is thrown away too, so that who comes next waits some ms longer: not between two questions. */
const LOOK_MS = 60_000;
/** A collection holds everything up for some 100 ms: less than this is not worth it. */
const LEAST_BYTES = 64 * 1024 * 1024;

/**
 * Gives the system back what is left of work that is over. V8 collects only when something new needs room, and keeps the room: a
 * process that has nothing to do any more would hold what a load has taken for as long as it runs. Done when `isBusy` has said no
 * twice, `lookMs` apart, and the process has grown since it was done last.
 *
 * @param {{ isBusy: () => boolean, lookMs?: number }} options
 */
export function collectAtRest({ isBusy, lookMs = LOOK_MS }) {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  let wasBusy = true;
  let least = process.memoryUsage.rss();
  setInterval(() => {
    const isResting = !isBusy() && !wasBusy;
    wasBusy = isBusy();
    const now = process.memoryUsage.rss();
    least = Math.min(least, now);
    if (!isResting || now - least < LEAST_BYTES) return;
    // Any other kind keeps the room for what comes next.
    collect({ type: "major", flavor: "last-resort" });
    least = process.memoryUsage.rss();
  }, lookMs).unref();
}
