import { abortWith } from "@/lib/mcp/connection/abort-with";
import { runLimits } from "@/lib/protocol/run-limits";

/** However much progress there is, a call ends after this. */
const longestMs = runLimits.chat.longestCallMs;

/** A person who does not answer for a day does not answer. */
const personMs = runLimits.chat.questionMs;

export interface Deadline {
  /** Fires when the caller's signal does, or when time is up. */
  signal: AbortSignal;
  /** Time was up, and the caller had not stopped: nothing was heard for so long, or it went on for too long in all. */
  expired: false | "silent" | "endless";
  /** After this it ends, in ms, however much progress there is. */
  readonly longestMs: number;
  /** There is progress: the time starts again, within the hard limit. */
  touch(): void;
  /** A person is asked, which takes as long as it takes; returns how to go on. */
  hold(): () => void;
  clear(): void;
}

export function startDeadline(timeoutMs: number, caller: AbortSignal, mostMs: number = longestMs): Deadline {
  const { controller: end, release } = abortWith(caller);
  const hardMs = Math.max(mostMs, timeoutMs);
  const expire = (why: "silent" | "endless") => {
    deadline.expired = !caller.aborted && why;
    end.abort(new Error("Time is up."));
  };
  let idle = setTimeout(expire, timeoutMs, "silent");
  let hard = setTimeout(expire, hardMs, "endless");
  /** What is left of the hard limit, counted at `countedAt`. */
  let leftMs = hardMs;
  let countedAt = performance.now();
  let held = 0;
  const deadline: Deadline = {
    signal: end.signal,
    expired: false,
    longestMs: hardMs,
    hold: () => {
      // Time that people take does not count; the server's does, so that it gains none by asking.
      if (held++ === 0) leftMs -= performance.now() - countedAt;
      clearTimeout(idle);
      clearTimeout(hard);
      hard = setTimeout(expire, personMs, "silent");
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
