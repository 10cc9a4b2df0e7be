"use client";

import { useTranslations } from "use-intl";
import { usePageCommand } from "@/components/shell/page-commands";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { pickLook } from "./pick-look";

/** A pressed word while step mode is on; the palette switches it on. */
export function StepWord({ chat, state }: { chat: ChatStore; state: ConversationState }) {
  const t = useTranslations("chat.composer");
  const waits = state.turns.at(-1)?.answer?.view.pending.some(({ type }) => type === "step_request") ?? false;
  const isOn = state.isStepping ?? waits;
  const toggle = () => void chat.setStepping(!isOn);
  usePageCommand("step", toggle);
  if (!isOn) return null;
  return (
    <button
      type="button"
      aria-pressed="true"
      className={cn(pickLook, "font-semibold text-ink")}
      aria-label={t("stepMode")}
      onClick={toggle}
    >
      <Icon name="step" size={14} />
      <span className="phone:hidden">{t("stepMode")}</span>
    </button>
  );
}
