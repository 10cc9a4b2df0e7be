"use client";

import type { ChatStore } from "@/lib/client/chat-store";
import type { ConversationState } from "@/lib/client/conversation-state";
import { WaitingCard } from "./waiting-card";

export interface WaitingCardsProps {
  chat: ChatStore;
  state: ConversationState;
  isComposerEmpty(): boolean;
}

/** Every question that the last answer waits with, oldest first. */
export function WaitingCards({ chat, state, isComposerEmpty }: WaitingCardsProps) {
  const view = state.turns.at(-1)?.answer?.view;
  const { runId } = view ?? {};
  if (!view || !runId) return null;
  return view.pending.map((request, at) => (
    <WaitingCard
      key={request.requestId}
      request={request}
      since={view.endedAt ?? view.lastAt}
      isFirst={at === 0}
      takesFocus={at === 0 ? isComposerEmpty : never}
      onAnswer={(decision) => chat.answer(runId, request, decision)}
    />
  ));
}

const never = () => false;
