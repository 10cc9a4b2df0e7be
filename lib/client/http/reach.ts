import { unreachedEvent } from "./http";

const pauseMs = 2_000;

/**
 * Tells when no server answers any more and when one does again, from the first request that got no answer on. When it
 * answers, the page hears `online` as when the network comes back: whatever waits for that goes on. Returns how to stop.
 */
export function watchReach(onChange: (isReached: boolean) => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let looks = false;
  let isReached = true;
  let isOver = false;
  const look = async () => {
    clearTimeout(timer);
    if (looks || isOver) return;
    looks = true;
    const answers = await fetch("/api/health", { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );
    looks = false;
    if (isOver) return;
    if (!answers) timer = setTimeout(look, pauseMs);
    if (answers === isReached) return;
    isReached = answers;
    onChange(answers);
    if (answers) dispatchEvent(new Event("online"));
  };
  const doubt = () => isReached && void look();
  const hope = () => isReached || void look();
  addEventListener(unreachedEvent, doubt);
  addEventListener("offline", doubt);
  addEventListener("online", hope);
  return () => {
    isOver = true;
    clearTimeout(timer);
    removeEventListener(unreachedEvent, doubt);
    removeEventListener("offline", doubt);
    removeEventListener("online", hope);
  };
}
