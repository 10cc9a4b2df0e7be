"use client";

import { useEffect, useRef, useState } from "react";
import { useTranslations } from "use-intl";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";

/** Says to readers that an answer has ended, and no more: the text itself is theirs to read. */
export function LiveRegion({ state }: { state: ConversationState }) {
  const t = useTranslations("chat.said");
  const [said, say] = useState("");
  const runs = state.liveRunId !== null;
  const status = state.turns.at(-1)?.answer?.view.status;
  const ran = useRef(runs);
  useEffect(() => {
    if (ran.current && !runs && status && status !== "running" && status !== "waiting") say(t(status));
    if (runs) say("");
    ran.current = runs;
  }, [runs, status, t]);
  return (
    <p className="sr-only" aria-live="polite">
      {said}
    </p>
  );
}
