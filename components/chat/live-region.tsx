"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";

/** Says to readers that an answer has ended, and no more: the text itself is theirs to read. `by`: whose it is, beside others. */
export function LiveRegion({ state, by }: { state: ConversationState; by?: string }) {
  const t = useTranslations("chat.said");
  const [said, say] = useState("");
  const runs = state.liveRunId !== null;
  const status = state.turns.at(-1)?.answer?.view.status;
  const ran = useRef(runs);
  useEffect(() => {
    if (ran.current && !runs && status && status !== "running" && status !== "waiting")
      say(by === undefined ? t(status) : t("by", { name: by, what: t(status) }));
    if (runs) say("");
    ran.current = runs;
  }, [runs, status, by, t]);
  return (
    <p className="sr-only" aria-live="polite">
      {said}
    </p>
  );
}
