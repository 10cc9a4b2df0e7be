import { LoopStop } from "./ports";

/** The signal of one run: fires with the caller's, or after `timeoutMs` with a `LoopStop` "timeout". */
export interface RunSignal {
  signal: AbortSignal;
  abort(reason: unknown): void;
  /** The caller's signal and the clock are not listened to any more. */
  release(): void;
}

export function runSignal(outer: AbortSignal, timeoutMs: number): RunSignal {
  // Not AbortSignal.any: the loop looks at it for every token, and a composite one is slow to ask.
  const own = new AbortController();
  const follow = () => own.abort(outer.reason);
  if (outer.aborted) follow();
  else outer.addEventListener("abort", follow, { once: true });
  const timer = setTimeout(() => own.abort(new LoopStop("timeout")), Math.min(timeoutMs, longestTimerMs));
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
