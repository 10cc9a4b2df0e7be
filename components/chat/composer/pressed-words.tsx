"use client";

import { useTranslations } from "use-intl";
import { type PageCommands, usePageCommand } from "@/components/shell/page-commands";
import { cn } from "@/components/ui/cn";
import { Icon } from "@/components/ui/icon";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { pickLook } from "./pick-look";

interface WordProps {
  chat: ChatStore;
  state: ConversationState;
}

/** How the next answers are made, as far as it was switched on in the palette. */
export const PressedWords = (props: WordProps) => (
  <>
    <StepWord {...props} />
    <PlanWord {...props} />
    <WireWord {...props} />
  </>
);

/** A pressed word while step mode is on. */
function StepWord({ chat, state }: WordProps) {
  const t = useTranslations("chat.composer");
  const waits = state.turns.at(-1)?.answer?.view.pending.some(({ type }) => type === "step_request") ?? false;
  const isOn = state.isStepping ?? waits;
  return (
    <PressedWord
      command="step"
      isOn={isOn}
      label={t("stepMode")}
      onToggle={() => void chat.setStepping(!isOn)}
    />
  );
}

/** The same for plans, which the model may propose from the next question on. */
function PlanWord({ chat, state: { isPlanning } }: WordProps) {
  const t = useTranslations("chat.composer");
  return (
    <PressedWord
      command="plan"
      isOn={isPlanning}
      label={t("planFirst")}
      onToggle={() => chat.setPlanning(!isPlanning)}
    />
  );
}

/** The same for recording what goes over the wire. */
function WireWord({ chat, state: { isRecording } }: WordProps) {
  const t = useTranslations("chat.composer");
  return (
    <PressedWord
      command="wire"
      isOn={isRecording}
      label={t("recordWire")}
      onToggle={() => chat.setRecording(!isRecording)}
    />
  );
}

interface PressedWordProps {
  command: keyof PageCommands & ("step" | "plan" | "wire");
  isOn: boolean;
  label: string;
  onToggle(): void;
}

function PressedWord({ command, isOn, label, onToggle }: PressedWordProps) {
  usePageCommand(command, onToggle);
  if (!isOn) return null;
  return (
    <button
      type="button"
      aria-pressed="true"
      className={cn(pickLook, "font-semibold text-ink")}
      aria-label={label}
      onClick={onToggle}
    >
      <Icon name={command} size={14} />
      <span className="phone:hidden">{label}</span>
    </button>
  );
}
