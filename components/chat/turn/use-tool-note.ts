"use client";

import { useFormatter, useTranslations } from "use-intl";
import { sourcesOf } from "@/components/chat/parts/data-flows";
import { outcomeOf } from "@/lib/client/run/call-summary";
import type { ToolView } from "@/lib/client/run/run-view";

/** The few words at the right of a call: what it does now, or what came back. */
export function useToolNote(item: ToolView, whole: boolean, isHeld: boolean): string {
  const t = useTranslations("chat.tool");
  const format = useFormatter();
  switch (item.state) {
    case "writing":
      if (item.said) return isHeld ? t(`said.${item.said}Held`) : t(`said.${item.said}`);
      return whole ? t("state.queued") : t("state.writing");
    case "waiting":
      return t("state.waiting");
    case "running": {
      const { progress } = item;
      if (!progress) return "";
      if (progress.message) return progress.message;
      return progress.total === undefined
        ? ""
        : t("progress", { done: progress.progress, total: progress.total });
    }
    case "done": {
      const outcome = outcomeOf(item);
      const came =
        outcome.kind === "nothing"
          ? ""
          : outcome.kind === "text"
            ? outcome.text
            : t(`outcome.${outcome.kind}`, { count: outcome.count });
      const carried = item.flows ? t("carried", { from: format.list(sourcesOf(item.flows)) }) : "";
      return [came, item.plan ? t("inPlan") : "", carried]
        .filter(Boolean)
        .reduce((first, second) => (first ? t("both", { first, second }) : second), "");
    }
    case "failed":
    case "denied":
    case "unknown":
      return "";
  }
}
