/** The shortest time from one look at a stream to the next, ms: each second or third frame of most screens. */
const shortestMs = 32;
/** The longest, however busy the page is. */
const longestMs = 120;
/** What a look costs, until its frame is painted, may be one part of the time in so many: the others are for keys and scrolling. */
const share = 6;
/** A key that went down so shortly before a frame, ms, is drawn in it. */
const keyMs = 20;

let keyAt = Number.NEGATIVE_INFINITY;
let hearsKeys = false;

/** Once for all streams, and before anything else hears of a key. */
function hearKeys(): void {
  if (hearsKeys || typeof addEventListener !== "function") return;
  hearsKeys = true;
  addEventListener("keydown", () => (keyAt = performance.now()), { capture: true, passive: true });
}

/**
 * Calls `flush` before the next frame, however often it is asked, and no more often than the page can well draw. A hidden
 * page gets no frames, so a timer calls it there; the state is then current when the page is shown again. The frame of a key
 * is left to the key: the stream is drawn in the one after it.
 */
export function oncePerFrame(flush: () => void): { ask(): void; cancel(): void } {
  let frame: number | undefined;
  let wait: ReturnType<typeof setTimeout> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Number.NEGATIVE_INFINITY;
  /** The frame of the last flush is not painted yet; whether it was asked since. */
  let isDrawing = false;
  let wanted = false;
  let hasYielded = false;
  const cancel = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(wait);
    clearTimeout(timer);
    frame = wait = timer = undefined;
    wanted = hasYielded = false;
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
  const onFrame = () => {
    if (hasYielded || performance.now() - keyAt > keyMs) return run();
    hasYielded = true;
    nextFrame();
  };
  const nextFrame = () => {
    if (typeof requestAnimationFrame === "function") frame = requestAnimationFrame(onFrame);
  };
  const ask = () => {
    hearKeys();
    wanted = true;
    if (isDrawing || timer !== undefined) return;
    const early = Math.max(0, dueAt - performance.now());
    timer = setTimeout(run, 100 + early);
    if (early > 0) wait = setTimeout(nextFrame, early);
    else nextFrame();
  };
  return { ask, cancel };
}
