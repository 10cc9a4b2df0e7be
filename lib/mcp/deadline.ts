/** However much progress there is, a call ends after this. */
const hardMs = 600_000;

/** A person who does not answer for a day does not answer. */
const personMs = 24 * 60 * 60_000;

export interface Deadline {
  /** Fires when the caller's signal does, or when time is up. */
  signal: AbortSignal;
  /** Time was up, and the caller had not stopped. */
  expired: boolean;
  /** There is progress: the time starts again, within the hard limit. */
  touch(): void;
  /** A person is asked, which takes as long as it takes; returns how to go on. */
  hold(): () => void;
  clear(): void;
}

export function startDeadline(timeoutMs: number, caller: AbortSignal): Deadline {
  const late = new AbortController();
  const expire = () => {
    deadline.expired = !caller.aborted;
    late.abort(new Error("Time is up."));
  };
  let idle = setTimeout(expire, timeoutMs);
  let hard = setTimeout(expire, Math.max(hardMs, timeoutMs));
  let held = 0;
  const deadline: Deadline = {
    signal: AbortSignal.any([caller, late.signal]),
    expired: false,
    hold: () => {
      held++;
      clearTimeout(idle);
      clearTimeout(hard);
      hard = setTimeout(expire, personMs);
      return () => {
        if (--held > 0) return;
        clearTimeout(hard);
        hard = setTimeout(expire, Math.max(hardMs, timeoutMs));
        deadline.touch();
      };
    },
    touch: () => {
      if (held > 0) return;
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
