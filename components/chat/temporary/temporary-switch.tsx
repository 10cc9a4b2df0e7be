"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import { hasTemporaryChats } from "./begin-temporary";

export interface TemporarySwitchProps {
  chat: ChatStore;
  isOn: boolean;
}

/** Before the first message: whether anything of the conversation is kept. */
export default function TemporarySwitch({ chat, isOn }: TemporarySwitchProps) {
  const t = useTranslations("chat.temporary");
  if (!hasTemporaryChats()) return null;
  return (
    <Button
      small
      tone={isOn ? "outline" : "quiet"}
      icon="temporary"
      aria-pressed={isOn}
      onClick={() => chat.beTemporary(!isOn)}
    >
      {t("name")}
    </Button>
  );
}
