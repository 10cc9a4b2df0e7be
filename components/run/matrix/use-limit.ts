"use client";

import { useTranslations } from "use-intl";
import { useAmount } from "@/components/chat/parts/use-amount";
import type { MatrixLimit } from "@/lib/client/run/matrix-view";

/** An amount of what a budget counts, as people read it: "$0.35", "12,000 tokens". */
export function useLimit(): (limit: MatrixLimit, amount: number) => string {
  const t = useTranslations("run.matrix");
  const amountOf = useAmount();
  return (limit, amount) => {
    const written = amountOf(limit, amount);
    return limit === "cost" ? written : t("tokens", { amount: written });
  };
}
