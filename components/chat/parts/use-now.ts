"use client";

import { createContext, useContext, useEffect, useState } from "react";
import { usePageRuns } from "@/components/ui/use-page-runs";

/** When the server drew the page, epoch ms; null where it drew nothing that runs. */
export const DrawnAt = createContext<number | null>(null);

/** In a replay: the time that it has come to, epoch ms. */
export const ReplayedAt = createContext<number | null>(null);

/** The time in epoch ms, anew every `everyMs` while `active`; what has ended costs no timer. */
export function useNow(active: boolean, everyMs: number): number {
  const drawnAt = useContext(DrawnAt);
  const replayedAt = useContext(ReplayedAt);
  const ticks = active && replayedAt === null;
  // React takes over what the server has drawn as it stands there.
  const runs = usePageRuns();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!ticks) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [ticks, everyMs]);
  if (replayedAt !== null) return replayedAt;
  return runs || drawnAt === null ? now : drawnAt;
}
