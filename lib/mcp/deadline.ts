/** However much progress there is, a call ends after this. */
const hardMs = 600_000;

export interface Deadline {
  /** Fires when the caller's signal does, or when time is up. */
  signal: AbortSignal;
  /** Time was up, and the caller had not stopped. */
  expired: boolean;
  /** There is progress: the time starts again, within the hard limit. */
  touch(): void;
  clear(): void;
}

export function startDeadline(timeoutMs: number, caller: AbortSignal): Deadline {
  const late = new AbortController();
  const expire = () => {
    deadline.expired = !caller.aborted;
    late.abort(new Error("Time is up."));
  };
  let idle = setTimeout(expire, timeoutMs);
  const hard = setTimeout(expire, Math.max(hardMs, timeoutMs));
  const deadline: Deadline = {
    signal: AbortSignal.any([caller, late.signal]),
    expired: false,
    touch: () => {
      clearTimeout(idle);
      idle = setTimeout(expire, timeoutMs);
    },
    clear: () => {
      clearTimeout(idle);
      clearTimeout(hard);
    },
  };
  return deadline;
}
