"use client";

import { useTranslations } from "use-intl";
import { Button } from "@/components/ui/controls/button";
import { useSentence } from "@/components/ui/words/sentences";
import { useGap } from "@/components/ui/words/use-gap";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";

/** What could not be done and how the line stands, right over the message field. */
export function FailureLine({ chat, state }: { chat: ChatStore; state: ConversationState }) {
  const t = useTranslations("chat.failure");
  const errors = useTranslations("errors");
  const inWords = useSentence();
  const gap = useGap();
  const { failure, line, phase } = state;
  if (line === "lost")
    return (
      <div data-failure className={failureLook} role="alert">
        <span>
          <b className="font-semibold text-shu">{t("lost")}</b>
          {gap}
          {t("lostText")}
        </span>
        <Button small onClick={() => void chat.conversation.reopen()}>
          {t("reopen")}
        </Button>
      </div>
    );
  if (line === "reopening" && state.liveRunId !== null)
    return (
      <p data-failure className={failureLook} role="status">
        {t("reopening")}
      </p>
    );
  if (!failure || phase === "failed" || phase === "missing") return null;
  return (
    <p data-failure className={failureLook} role="alert">
      <span>
        <b className="font-semibold text-shu">{t("failed")}</b>
        {gap}
        {failure.code === "offline" || failure.code === "outdated"
          ? errors(failure.code)
          : inWords(failure.message)}
      </span>
    </p>
  );
}

const failureLook =
  "flex items-center gap-3 pb-2 pl-(--gutter) text-mach text-ink-2 group-data-empty/chat:pl-0 group-data-asked/chat:pinned:py-2 group-data-asked/chat:pinned:pl-0";
