const CHECK_MS = 500;

/**
 * Calls back once when the npm that started us is gone; returns how to stop watching.
 *
 * npm runs scripts through `sh`, which a SIGTERM ends without passing it on: the program under it would live for ever.
 * Does nothing when we were started without npm, so that a process can be put in the background.
 */
export function onOrphaned(callback) {
  if (process.env.npm_lifecycle_event === undefined || process.platform === "win32") return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    callback();
  }, CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}
