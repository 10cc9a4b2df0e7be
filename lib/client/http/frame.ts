/**
 * Calls `flush` once per frame at most, however often it is asked. A hidden page gets no frames, so a timer stands in;
 * the state is then right when somebody looks.
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
