"use client";

import { memo } from "react";
import { useFormatter, useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { useModel } from "@/lib/client/conversation/models";
import { useServers } from "@/lib/client/servers/servers";
import { useContextCost, usedServers } from "./use-context-cost";
import type { SendChoices } from "./use-send-options";

/** How much of what the model can read is taken before a word is said: by the descriptions of the tools. */
export const ContextGauge = memo(function ContextGauge({ options }: { options: SendChoices }) {
  const t = useTranslations("chat.composer.cost");
  const format = useFormatter();
  const { data } = useServers();
  const { share, window, isFull } = useContextCost(usedServers(data?.items ?? [], options), options);
  const model = useModel(options.model);
  if (share === null || window === null)
    return (
      <span className="mx-2 min-w-0 flex-1 truncate text-right text-micro text-ink-3">
        {model && model.provider !== "demo" && (
          <span className="@max-[560px]/bar:hidden" title={t("unknownHint", { model: model.name })}>
            {t("unknown")}
          </span>
        )}
      </span>
    );
  const percent = format.number(share, { style: "percent", maximumFractionDigits: share < 0.1 ? 1 : 0 });
  const size = format.number(window, { notation: "compact" });
  return (
    <span
      className={cn(
        "mx-2 ml-auto flex flex-none items-center gap-2 text-micro whitespace-nowrap",
        isFull ? "text-shu" : "text-ink-3",
      )}
      title={t("gauge")}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a meter element cannot be drawn alike in all browsers */}
      <span
        role="meter"
        aria-label={t("gauge")}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.round(Math.min(1, share) * 100)}
        aria-valuetext={t("of", { percent, size })}
        className="h-1 w-14 bg-paper-3 @max-[560px]/bar:hidden"
      >
        <span
          className={cn("block h-full min-w-px", isFull ? "bg-shu" : "bg-ink-2")}
          style={{ width: `${Math.min(1, share) * 100}%` }}
        />
      </span>
      <span aria-hidden="true">
        {percent}
        <span className="phone:hidden">{t("ofSize", { size })}</span>
      </span>
    </span>
  );
});
