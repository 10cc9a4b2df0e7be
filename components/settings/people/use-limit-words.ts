"use client";

import { useFormatter, useTranslations } from "use-intl";
import { useSize } from "@/components/ui/words/use-size";
import { limitKeys, type PersonLimits, type Use } from "@/lib/protocol/person-limits";

/** What was used and what may be, in few words: "820K, $2.61". */
export function useLimitWords() {
  const t = useTranslations("settings.people.limits");
  const format = useFormatter();
  const size = useSize();
  const money = (dollars: number) => format.number(dollars, { style: "currency", currency: "USD" });
  const short = (tokens: number) => format.number(tokens, { notation: "compact", maximumFractionDigits: 1 });
  return {
    money,
    tokens: (count: number) => t("tokens", { tokens: short(count) }),
    used: ({ tokens, cost }: Use) => t("used", { tokens: short(tokens), cost: money(cost) }),
    /** Every limit in a line. */
    all: (limits: PersonLimits): string => {
      const parts = limitKeys.flatMap((key) => {
        const most = limits[key];
        if (most === undefined) return [];
        const value = key === "bytes" ? size(most) : key === "costPerDay" ? money(most) : format.number(most);
        return [t("part", { name: t(key), value })];
      });
      return parts.length === 0 ? t("none") : parts.join(" · ");
    },
    /** Undefined where no limit of a day holds. */
    aDay({ costPerDay, tokensPerDay }: PersonLimits): string | undefined {
      if (tokensPerDay === undefined) return costPerDay === undefined ? undefined : money(costPerDay);
      const tokens = short(tokensPerDay);
      return costPerDay === undefined
        ? t("tokens", { tokens })
        : t("used", { tokens, cost: money(costPerDay) });
    },
  };
}

/** How much of what may be used in a day is used, 0 to 1; undefined where no limit of a day holds. */
export function shareOf(
  { tokens, cost }: Use,
  { tokensPerDay, costPerDay }: PersonLimits,
): number | undefined {
  const shares = [
    ...(tokensPerDay === undefined ? [] : [tokens >= tokensPerDay ? 1 : tokens / tokensPerDay]),
    ...(costPerDay === undefined ? [] : [cost >= costPerDay ? 1 : cost / costPerDay]),
  ];
  return shares.length === 0 ? undefined : Math.max(...shares);
}
