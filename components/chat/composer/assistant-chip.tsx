"use client";

import { useTranslations } from "use-intl";
import { IconButton } from "@/components/ui/controls/button";
import { NearLink } from "@/components/ui/near-link";
import { pickLook } from "./pick-look";
import type { SendChoices } from "./use-send-options";

/** Whose instructions the conversation follows; nothing without an assistant. */
export function AssistantChip({ options: { assistant, setAssistant } }: { options: SendChoices }) {
  const t = useTranslations("chat.assistants");
  if (!assistant) return null;
  const { name, icon } = assistant;
  return (
    <>
      <NearLink
        href={`/settings/assistants?open=${encodeURIComponent(assistant.id)}`}
        className={`${pickLook} no-underline`}
      >
        <span className="sr-only">{t("chosen", { name })}</span>
        <span aria-hidden="true" className="font-voice">
          {icon}
        </span>
        <span aria-hidden="true" className="truncate @max-[400px]/bar:hidden">
          {name}
        </span>
      </NearLink>
      <IconButton
        icon="cross"
        iconSize={12}
        className="-ml-1 h-6 w-6 phone:h-6 phone:w-6"
        label={t("remove", { name })}
        onClick={() => setAssistant(null)}
      />
    </>
  );
}
