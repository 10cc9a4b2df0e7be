"use client";

import { useTranslations } from "use-intl";
import { outcomeOf } from "@/lib/client/run/call-summary";
import type { ToolView } from "@/lib/client/run/run-view";

/** The few words at the right of a call: what it does now, or what came back. */
export function useToolNote(item: ToolView, whole: boolean, isHeld: boolean): string {
  const t = useTranslations("chat.tool");
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
      const inPlan = item.plan ? t("inPlan") : "";
      if (outcome.kind === "nothing") return inPlan;
      const came =
        outcome.kind === "text" ? outcome.text : t(`outcome.${outcome.kind}`, { count: outcome.count });
      return inPlan ? t("cameInPlan", { came, inPlan }) : came;
    }
    case "failed":
    case "denied":
    case "unknown":
      return "";
  }
}
