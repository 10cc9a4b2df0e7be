"use client";

import { useEffect, useMemo, useState } from "react";
import type { ChatStore, SendOptions } from "@/lib/client/chat-store";
import type { Deferrals } from "@/lib/client/context-cost";
import type { ConversationState } from "@/lib/client/conversation-state";
import { readChoice, writeChoice } from "@/lib/client/drafts";
import type { ServerChoice } from "@/lib/protocol/http";

/** What goes along with each message: the model that this browser remembers, the servers that the conversation uses. */
export interface SendChoices extends SendOptions {
  deferred: Deferrals;
  setModel(model: string): void;
  /** Null: all that are ready. */
  setServers(servers: readonly string[] | null): void;
  setDeferred(deferred: Deferrals): void;
  /** The choice as it is now; the function itself never changes. */
  current(): SendOptions;
}

const nothingChosen: ServerChoice = { servers: null, deferred: {} };

export function useSendOptions(chat: ChatStore, state: ConversationState): SendChoices {
  const [model, setModel] = useState<string | null>(null);
  const choice = state.choice ?? nothingChosen;
  const [box] = useState(() => ({ now: { model, ...choice } as SendOptions }));
  useEffect(() => setModel(readChoice("model")), []);
  useEffect(() => {
    box.now = { model, ...choice };
  }, [box, model, choice]);
  return useMemo(
    () => ({
      model,
      ...choice,
      setModel: (chosen) => {
        writeChoice("model", chosen);
        setModel(chosen);
      },
      setServers: (servers) => void chat.choose({ ...choice, servers }),
      setDeferred: (deferred) => void chat.choose({ ...choice, deferred }),
      current: () => box.now,
    }),
    [box, chat, model, choice],
  );
}
