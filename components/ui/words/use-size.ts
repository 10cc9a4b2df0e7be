"use client";

import { useFormatter } from "use-intl";

/** Bytes as people read them: "12 kB", "1.4 MB", "3.2 GB". */
export function useSize(): (bytes: number) => string {
  const format = useFormatter();
  return (bytes) => {
    if (bytes < 1_000_000)
      return format.number(Math.max(1, Math.round(bytes / 1_000)), { style: "unit", unit: "kilobyte" });
    const [unit, divisor] =
      bytes < 1_000_000_000 ? (["megabyte", 1_000_000] as const) : (["gigabyte", 1_000_000_000] as const);
    return format.number(bytes / divisor, { style: "unit", unit, maximumFractionDigits: 1 });
  };
}
