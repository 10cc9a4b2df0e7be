"use client";

import { createContext, useContext, useEffect, useState } from "react";
import { usePageRuns } from "@/components/ui/use-page-runs";

/** When the server drew the page, epoch ms; null where it drew nothing that runs. */
export const DrawnAt = createContext<number | null>(null);

/** The time in epoch ms, anew every `everyMs` while `active`; what has ended costs no timer. */
export function useNow(active: boolean, everyMs: number): number {
  const drawnAt = useContext(DrawnAt);
  // React takes over what the server has drawn as it stands there.
  const runs = usePageRuns();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [active, everyMs]);
  return runs || drawnAt === null ? now : drawnAt;
}
