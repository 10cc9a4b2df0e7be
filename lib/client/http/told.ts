import type { Hint } from "@/lib/protocol/hints";

/** `open`: from now on hints come; `lost`: none come any more. */
export type LineNews = Hint | "open" | "lost";

const listeners = new Set<(news: LineNews) => void>();
let isOpen = false;

/** Whether this tab is told what changes elsewhere, so that it need not look. */
export const isTold = (): boolean => isOpen;

/** Returns how to stop. */
export function hearNews(listener: (news: LineNews) => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

/** For whoever reads the line. */
export function passOn(news: LineNews): void {
  if (news === "open" || news === "lost") isOpen = news === "open";
  for (const listener of [...listeners]) listener(news);
}
