/** How often something that runs is looked after; as in a tab that is looked at. */
const paceMs = 4_000;
/** Of these, so many pass between two looks where nothing runs: somebody may ask from elsewhere. */
const idlePaces = 15;

export interface PollOptions {
  isAway(): boolean;
  /** Whether something is known to run. */
  isRunning(): boolean;
  poll(): Promise<void>;
  /** Whether the browser is told when the list changes: then `onTold` says so, and nothing is fetched at a pace. */
  isTold(): boolean;
  /** Returns how to stop. */
  onTold(listener: () => void): () => void;
  /** At each pace, also where nothing is fetched. */
  onPace(): void;
}

/** Keeps a list fresh while nobody looks at it, in one tab for all of a browser; returns how to stop. */
export function pollWhileAway(options: PollOptions): () => void {
  const { isAway, isRunning, poll, isTold, onPace } = options;
  const over = new AbortController();
  // Without locks (plain HTTP) each tab looks for itself.
  let isMine = !navigator.locks;
  const held = new Promise<void>((resolve) => over.signal.addEventListener("abort", () => resolve()));
  navigator.locks
    ?.request("meguri.poll", { signal: over.signal }, () => {
      isMine = true;
      return held;
    })
    // It was stopped while another tab had the lock.
    .catch(() => {});
  const stopHearing = options.onTold(() => {
    // A list that is shown asks by itself.
    if (isMine && isAway() && document.hidden) void poll();
  });
  let idle = 0;
  const timer = setInterval(() => {
    onPace();
    idle = isRunning() ? idlePaces : idle + 1;
    if (isTold() || !isMine || !isAway() || idle < idlePaces) return;
    idle = 0;
    void poll();
  }, paceMs);
  return () => {
    clearInterval(timer);
    stopHearing();
    over.abort();
  };
}
