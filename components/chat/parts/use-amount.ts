"use client";

import { useFormatter } from "use-intl";
import { showDuration } from "@/lib/client/run/durations";

/** How much of something, as people read it: "12,000", "$0.35", "2 min". */
export function useAmount(): (of: string, amount: number) => string {
  const format = useFormatter();
  return (of, amount) => {
    if (of === "cost")
      return format.number(amount, { style: "currency", currency: "USD", maximumSignificantDigits: 3 });
    return of === "timeMs" ? showDuration(amount) : format.number(Math.round(amount));
  };
}
