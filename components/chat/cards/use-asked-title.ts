"use client";

import { useTranslations } from "use-intl";
import { toolName } from "@/components/chat/parts/tool-name";
import type { PendingRequest } from "@/lib/protocol/chunk";
import { actionOf, useBudgetWords } from "./use-asked-words";

/** The title of a card for where strangers may read it: without a word of the arguments or of what a server says. */
export function useAskedTitle(): (request: PendingRequest) => string {
  const t = useTranslations("chat.card");
  const budget = useBudgetWords();
  return (request) => {
    switch (request.type) {
      case "step_request": {
        if (request.kind === "model") return t("step.titleModel");
        const { server, tool } = toolName(request.payload);
        return t("step.titleTool", { action: server ? `${server} · ${tool}` : tool });
      }
      case "budget_request":
        return budget(request).title;
      case "input_request":
        return t(request.mode === "url" ? "input.titlePage" : "input.title", { server: request.server });
      case "approval_request": {
        const { server, tool } = toolName(request.call);
        if (request.reason === "sampling") return t("titleSampling", { server });
        if (request.reason === "plan") return t("plan.titleAny");
        const action = actionOf(undefined, tool);
        return t(request.reason === "outcome_unknown" ? "titleUnknown" : "title", { action });
      }
    }
  };
}
