"use client";

import { useEffect, useState } from "react";
import { cn } from "./cn";

/** What comes sooner is not announced by anything: a flicker is worse than a blank. */
const patienceMs = 300;

/** Keeps the place of lines that are on their way, in their own height, so that nothing jumps when they come. */
export function Skeleton({
  lines = 3,
  height = 28,
  label,
}: {
  lines?: number;
  height?: number;
  label: string;
}) {
  const isSlow = useSlow();
  return (
    <div role="status" aria-label={label} className={isSlow ? undefined : "opacity-0"}>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a fixed number of equal lines
        <div key={line} className="flex items-center px-2" style={{ height }}>
          <span className={cn("block h-2 rounded-chip bg-paper-3", widths[line % widths.length])} />
        </div>
      ))}
    </div>
  );
}

/** Whether this component has been there for so long that something must say why. */
export function useSlow(): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(setSlow, patienceMs, true);
    return () => clearTimeout(timer);
  }, []);
  return isSlow;
}

const widths = ["w-3/5", "w-4/5", "w-2/5", "w-3/4"];
