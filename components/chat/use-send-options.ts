"use client";

import { useEffect, useMemo, useState } from "react";
import type { ChatStore, SendOptions } from "@/lib/client/chat-store";
import { readChoice, writeChoice } from "@/lib/client/drafts";

/** What goes along with each message: the model that is remembered, the servers that this conversation uses. */
export interface SendChoices extends SendOptions {
  setModel(model: string): void;
  /** Null: all that are ready. */
  setServers(servers: readonly string[] | null): void;
  /** The choice as it is now; the function itself never changes. */
  current(): SendOptions;
}

export function useSendOptions(chat: ChatStore, conversationId: string | null): SendChoices {
  const [model, setModel] = useState<string | null>(null);
  const [servers, setServers] = useState<readonly string[] | null>(null);
  const [box] = useState(() => ({ now: { model, servers } as SendOptions, chat, id: conversationId }));
  useEffect(() => setModel(readChoice("model")), []);
  useEffect(() => {
    // A conversation that was just born keeps what was chosen for it.
    if (box.chat === chat && box.id === null && conversationId !== null)
      writeServers(conversationId, box.now.servers);
    else setServers(readServers(conversationId));
    box.id = conversationId;
    box.chat = chat;
  }, [box, chat, conversationId]);
  useEffect(() => {
    box.now = { model, servers };
  }, [box, model, servers]);
  return useMemo(
    () => ({
      model,
      servers,
      setModel: (chosen) => {
        writeChoice("model", chosen);
        setModel(chosen);
      },
      setServers: (chosen) => {
        if (conversationId !== null) writeServers(conversationId, chosen);
        setServers(chosen);
      },
      current: () => box.now,
    }),
    [box, model, servers, conversationId],
  );
}

const maxChosen = 100;

function readServers(conversationId: string | null): readonly string[] | null {
  if (conversationId === null) return null;
  try {
    const list = JSON.parse(readChoice(`servers.${conversationId}`) ?? "null");
    return Array.isArray(list) ? list.filter((name) => typeof name === "string").slice(0, maxChosen) : null;
  } catch {
    return null;
  }
}

function writeServers(conversationId: string, servers: readonly string[] | null): void {
  writeChoice(`servers.${conversationId}`, servers && JSON.stringify(servers.slice(0, maxChosen)));
}
