"use client";

import { type ReactNode, useEffect, useState } from "react";
import { fetchAhead, latePart, useLatePart } from "@/components/ui/late-part";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import type { QueueNewsProps } from "./queue-news";
import type { QueuedMessagesProps } from "./queued-messages";
import type { SayChoiceProps } from "./say-choice";
import { type Say, useSay } from "./use-say";
import type { SendChoices } from "./use-send-options";

const queuedMessages = latePart<QueuedMessagesProps>(() => import("./queued-messages"));
const queueNews = latePart<QueueNewsProps>(() => import("./queue-news"));
const sayChoice = latePart<SayChoiceProps>(() => import("./say-choice"));

interface MeanwhileOptions {
  chat: ChatStore;
  state: ConversationState;
  options: SendChoices;
  runs: boolean;
  waits: boolean;
  hasMessage: boolean;
  onLeftOver(text: string): void;
}

export interface Meanwhile {
  say: Say;
  /** What waits, above the message field. */
  lines: ReactNode;
  /** Under it, while something is written: what becomes of it. */
  choice: ReactNode;
  news: ReactNode;
}

/** What the composer has more while an answer is written or waits; its parts are loaded when the first of it is needed. */
export function useMeanwhile({ chat, state, options, runs, waits, ...rest }: MeanwhileOptions): Meanwhile {
  const { hasMessage, onLeftOver } = rest;
  const { lines, news } = state.queue;
  const goesOn = runs || waits;
  const speaks = goesOn && hasMessage;
  const say = useSay(state.id);
  // Once there was one it stays: words that are being changed outlive their line.
  const [hadLines, setHadLines] = useState(false);
  if (lines.length > 0 && !hadLines) setHadLines(true);
  const QueuedMessages = useLatePart(queuedMessages, hadLines);
  const QueueNews = useLatePart(queueNews, news !== null);
  const SayChoice = useLatePart(sayChoice, speaks);
  useEffect(() => {
    // The message is to be seen the moment it is queued.
    if (goesOn) for (const part of [sayChoice, queuedMessages, queueNews]) fetchAhead(part);
  }, [goesOn]);
  return {
    say,
    lines: QueuedMessages && (
      <QueuedMessages key={state.id} {...{ chat, lines, goesOn, options, onLeftOver }} />
    ),
    choice: SayChoice && <SayChoice say={say} waits={waits} />,
    news: QueueNews && news && <QueueNews news={news} />,
  };
}
