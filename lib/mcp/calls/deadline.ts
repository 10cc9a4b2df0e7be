import { abortWith } from "@/lib/mcp/connection/abort-with";
import { runLimits } from "@/lib/protocol/run-limits";

/** A call ends after this however much progress there is. */
const defaultLongestMs = runLimits.chat.longestCallMs;

/** After a day without an answer, none is expected any more. */
const { questionMs } = runLimits.chat;

export interface Deadline {
  /** Fires with the caller's signal, or when time is up. */
  signal: AbortSignal;
  /** Why time was up, unless the caller stopped first: no progress for too long, or too long in all. */
  expired: false | "silent" | "endless";
  /** The limit in all, ms. */
  readonly longestMs: number;
  /** There is progress: the idle time starts again, within the limit in all. */
  touch(): void;
  /** Stops the clock while a person is asked; returns what starts it again. */
  hold(): () => void;
  clear(): void;
}

export function startDeadline(
  timeoutMs: number,
  caller: AbortSignal,
  longestMs: number = defaultLongestMs,
): Deadline {
  const { controller: end, release } = abortWith(caller);
  const hardMs = Math.max(longestMs, timeoutMs);
  const expire = (why: "silent" | "endless") => {
    deadline.expired = !caller.aborted && why;
    end.abort(new Error("Time is up."));
  };
  let idle = setTimeout(expire, timeoutMs, "silent");
  let hard = setTimeout(expire, hardMs, "endless");
  /** What is left of the limit in all, counted at `countedAt`. */
  let leftMs = hardMs;
  let countedAt = performance.now();
  let held = 0;
  const deadline: Deadline = {
    signal: end.signal,
    expired: false,
    longestMs: hardMs,
    hold: () => {
      // The time of people does not count; the server's does, so it gains none by asking.
      if (held++ === 0) leftMs -= performance.now() - countedAt;
      clearTimeout(idle);
      clearTimeout(hard);
      hard = setTimeout(expire, questionMs, "silent");
      return () => {
        if (--held > 0) return;
        clearTimeout(hard);
        countedAt = performance.now();
        hard = setTimeout(expire, leftMs, "endless");
        deadline.touch();
      };
    },
    touch: () => {
      if (held > 0) return;
      clearTimeout(idle);
      idle = setTimeout(expire, timeoutMs, "silent");
    },
    clear: () => {
      release();
      clearTimeout(idle);
      clearTimeout(hard);
    },
  };
  return deadline;
}
