"use client";

import { useSyncExternalStore } from "react";
import { useTranslations } from "use-intl";
import { Ring, type RingState } from "@/components/ui/ring";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import { progressOf } from "@/lib/client/conversation/comparison";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";

export type ColumnWord = "going" | "waiting" | "completed" | "stopped" | "failed" | "interrupted";

/** What a column shows, without the words that stream into it. */
export function useColumn({ conversation }: ChatStore): ConversationState {
  return useSyncExternalStore(conversation.subscribe, conversation.getOutline, conversation.getUnread);
}

/** How far its model is. */
export function wordOf(state: ConversationState): ColumnWord {
  const progress = progressOf(state);
  if (progress !== "ended") return progress;
  const status = state.turns.at(-1)?.answer?.view.status;
  return status === "stopped" || status === "failed" || status === "interrupted" ? status : "completed";
}

const rings: Record<ColumnWord, RingState> = {
  going: "run",
  waiting: "wait",
  completed: "done",
  stopped: "held",
  interrupted: "held",
  failed: "failed",
};

/** The same in a picture; `isSilent` where the words stand beside it. */
export function ColumnRing({ chat, isSilent = false }: { chat: ChatStore; isSilent?: boolean }) {
  const t = useTranslations("chat.compare.state");
  const word = wordOf(useColumn(chat));
  return <Ring state={rings[word]} size={14} label={isSilent ? undefined : t(word)} />;
}
