"use client";

import { lazy, Suspense } from "react";
import type { ChatStore, Decision } from "@/lib/client/chat-store";
import type { ConversationState } from "@/lib/client/conversation-state";
import { WaitingCard } from "./waiting-card";

const InputCard = lazy(() => import("./input-card"));

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
  return view.pending.map((request, at) => {
    const shared = {
      since: view.endedAt ?? view.lastAt,
      isFirst: at === 0,
      takesFocus: at === 0 ? isComposerEmpty : never,
      onAnswer: (decision: Decision) => chat.answer(runId, request, decision),
    };
    return request.type === "input_request" ? (
      <Suspense key={request.requestId} fallback={null}>
        <InputCard request={request} {...shared} />
      </Suspense>
    ) : (
      <WaitingCard key={request.requestId} request={request} {...shared} />
    );
  });
}

const never = () => false;
