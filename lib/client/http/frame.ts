/** The shortest time from one look at a stream to the next, ms: each second frame of most screens, so that others stay free for keys and scrolling. */
const shortestMs = 24;

/**
 * Calls `flush` before the next frame, however often it is asked, and not more often than about 30 times a second. A
 * hidden page gets no frames, so a timer calls it there; the state is then current when the page is shown again.
 */
export function oncePerFrame(flush: () => void): { ask(): void; cancel(): void } {
  let frame: number | undefined;
  let wait: ReturnType<typeof setTimeout> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last = Number.NEGATIVE_INFINITY;
  const cancel = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(wait);
    clearTimeout(timer);
    frame = wait = timer = undefined;
  };
  const run = () => {
    cancel();
    last = performance.now();
    flush();
  };
  const nextFrame = () => {
    if (typeof requestAnimationFrame === "function") frame = requestAnimationFrame(run);
  };
  return {
    ask() {
      if (timer !== undefined) return;
      timer = setTimeout(run, 100);
      const early = last + shortestMs - performance.now();
      if (early > 0) wait = setTimeout(nextFrame, early);
      else nextFrame();
    },
    cancel,
  };
}
