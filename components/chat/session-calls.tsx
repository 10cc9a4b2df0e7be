"use client";

import { useTranslations } from "use-intl";
import { ClientCallList } from "@/components/client-calls";

export interface SessionCallsProps {
  conversation: string;
}

/** What a program has called in the session that a conversation holds, which its branch shows one call of. */
export default function SessionCalls({ conversation }: SessionCallsProps) {
  const t = useTranslations("chat.calls");
  return (
    <section aria-label={t("session")} className="mt-8">
      <h2 className="ml-9 font-voice text-[20px] phone:ml-0">{t("session")}</h2>
      <ClientCallList conversation={conversation} none={t("none")} />
    </section>
  );
}
