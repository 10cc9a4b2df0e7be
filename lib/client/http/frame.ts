/** The shortest time from one look at a stream to the next, ms: each second frame of most screens. */
const shortestMs = 24;
/** The longest, however busy the page is. */
const longestMs = 120;
/** What a look costs, until its frame is painted, may be one part of the time in so many: the others are for keys and scrolling. */
const share = 4;

/**
 * Calls `flush` before the next frame, however often it is asked, and no more often than the page can well draw. A hidden
 * page gets no frames, so a timer calls it there; the state is then current when the page is shown again.
 */
export function oncePerFrame(flush: () => void): { ask(): void; cancel(): void } {
  let frame: number | undefined;
  let wait: ReturnType<typeof setTimeout> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Number.NEGATIVE_INFINITY;
  /** The frame of the last flush is not painted yet; whether it was asked since. */
  let isDrawing = false;
  let wanted = false;
  const cancel = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(wait);
    clearTimeout(timer);
    frame = wait = timer = undefined;
    wanted = false;
  };
  const run = () => {
    cancel();
    const start = performance.now();
    isDrawing = true;
    // Comes after the frame is painted.
    setTimeout(() => {
      const pauseMs = share * (performance.now() - start);
      dueAt = start + Math.min(longestMs, Math.max(shortestMs, pauseMs));
      isDrawing = false;
      if (wanted) ask();
    });
    flush();
  };
  const nextFrame = () => {
    if (typeof requestAnimationFrame === "function") frame = requestAnimationFrame(run);
  };
  const ask = () => {
    wanted = true;
    if (isDrawing || timer !== undefined) return;
    const early = Math.max(0, dueAt - performance.now());
    timer = setTimeout(run, 100 + early);
    if (early > 0) wait = setTimeout(nextFrame, early);
    else nextFrame();
  };
  return { ask, cancel };
}
