/**
 * Calls `flush` at most once per frame, however often it is asked. A hidden page gets no frames, so a timer calls it
 * there; the state is then current when the page is shown again.
 */
export function oncePerFrame(flush: () => void): { ask(): void; cancel(): void } {
  let frame: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = () => {
    if (frame !== undefined) cancelAnimationFrame(frame);
    clearTimeout(timer);
    frame = timer = undefined;
  };
  const run = () => {
    cancel();
    flush();
  };
  return {
    ask() {
      if (timer !== undefined) return;
      if (typeof requestAnimationFrame === "function") frame = requestAnimationFrame(run);
      timer = setTimeout(run, 100);
    },
    cancel,
  };
}
