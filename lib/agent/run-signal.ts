import { LoopStop } from "./ports";

/** The signal of one run: fires with the caller's, or after `timeLeftMs` with a `LoopStop` "timeout"; at once when none is left. */
export interface RunSignal {
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** The caller's signal and the clock are not listened to any more. */
  release(): void;
}

export function runSignal(outer: AbortSignal, timeLeftMs: number): RunSignal {
  // Not AbortSignal.any: the loop looks at it for every token, and a composite one is slow to ask.
  const own = new AbortController();
  const follow = () => own.abort(outer.reason);
  if (outer.aborted) follow();
  else outer.addEventListener("abort", follow, { once: true });
  const onTimeout = () => own.abort(new LoopStop("timeout"));
  if (timeLeftMs <= 0) onTimeout();
  const timer = setTimeout(onTimeout, Math.min(timeLeftMs, longestTimerMs));
  return {
    signal: own.signal,
    abort: (reason) => own.abort(reason),
    release() {
      clearTimeout(timer);
      outer.removeEventListener("abort", follow);
    },
  };
}

/** Of `setTimeout`; a longer one fires at once. */
const longestTimerMs = 2 ** 31 - 1;
