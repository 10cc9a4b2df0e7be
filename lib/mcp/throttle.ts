/** Calls soon after the first of many requests, and at most once per interval. */
export function createThrottle(intervalMs: number, run: () => void): { call(): void; stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let last = Number.NEGATIVE_INFINITY;
  return {
    call: () => {
      timer ??= setTimeout(
        () => {
          timer = undefined;
          last = performance.now();
          run();
        },
        Math.max(0, intervalMs - (performance.now() - last)),
      ).unref();
    },
    stop: () => clearTimeout(timer),
  };
}
