"use client";

import { useTranslations } from "use-intl";
import { cn } from "@/components/ui/cn";
import { iconButtonClass } from "@/components/ui/controls/button";
import { Icon } from "@/components/ui/icon";
import { Key } from "@/components/ui/key";
import { Menu } from "@/components/ui/layers/menu";
import type { MenuEntry } from "@/components/ui/layers/menu-entry";
import { useServers } from "@/lib/client/servers/servers";
import { useSettings } from "@/lib/client/settings/settings";
import type { Decision } from "@/lib/protocol/answer";
import type { ApprovalRequest, BudgetRequest } from "@/lib/protocol/chunk";
import { judgeTool, serverPattern } from "@/lib/protocol/tool-rules";
import { answerKeys } from "./answer-buttons";

/** Which of the answers that cover other tools too make sense for a question. */
export interface Wider {
  server: boolean;
  reads: boolean;
}

const neither: Wider = { server: false, reads: false };

/**
 * A whole server is offered where no narrower rule would still ask about this tool, and everything that only reads where
 * this tool does.
 */
export function useWiderAnswers(request: ApprovalRequest | BudgetRequest): Wider {
  const { data } = useServers();
  const settings = useSettings().data;
  if (request.type !== "approval_request" || request.reason !== "rule") return neither;
  for (const { name: server, tools } of data?.items ?? []) {
    const tool = tools.find(({ qualifiedName }) => qualifiedName === request.call.name);
    if (!tool || !settings) continue;
    const pattern = serverPattern(server);
    const others = settings.rules.filter((rule) => rule.pattern !== pattern || rule.when);
    const rules = [...others, { pattern, effect: "allow" as const }];
    return {
      server: judgeTool(rules, server, tool, settings.toolApproval).effect === "allow",
      reads: tool.definition === "pinned" && tool.annotations.readOnlyHint === true,
    };
  }
  return neither;
}

/** Whether the question as it is now can be answered like this. */
export const isOffered = (decision: Decision, wider: Wider): boolean =>
  (decision !== "approve_server" || wider.server) && (decision !== "approve_reads" || wider.reads);

export interface WiderAnswersProps extends Wider {
  /** Of the server. */
  name: string;
  disabled: boolean;
  onAnswer(decision: Decision): Promise<void>;
}

/** Behind a button, with what each covers and for how long. */
export function WiderAnswers({ name, disabled, onAnswer, ...wider }: WiderAnswersProps) {
  const t = useTranslations("chat.card.wider");
  const entry = (decision: "approve_server" | "approve_reads", label: string, covers: string): MenuEntry => ({
    kind: "group",
    label: covers,
    entries: [
      {
        label,
        note: <Key keys={answerKeys[decision] ?? ""} />,
        onSelect: () => void onAnswer(decision),
      },
    ],
  });
  return (
    <Menu
      align="end"
      entries={[
        ...(wider.reads ? [entry("approve_reads", t("reads"), t("readsCovers"))] : []),
        ...(wider.reads && wider.server ? [{ kind: "rule" } as const] : []),
        ...(wider.server ? [entry("approve_server", t("server"), t("serverCovers", { server: name }))] : []),
      ]}
      trigger={{
        className: cn(iconButtonClass, "size-8 phone:col-start-3 phone:row-start-1"),
        "aria-label": t("more"),
        disabled,
        children: <Icon name="more" />,
      }}
    />
  );
}
