"use client";

import { useCallback, useEffect, useState } from "react";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import { newTemporary, readDraft, writeDraft } from "@/lib/client/conversation/drafts";

export type SetText = (next: string | ((before: string) => string)) => void;

const isNew = (id: string | null) => id === null || id === newTemporary;

/** The text of a conversation that was not sent yet, kept through reloads and walks to other conversations. */
export function useDraft(chat: ChatStore, id: string | null, prompt: string | undefined): [string, SetText] {
  const [draft, setDraft] = useState({ chat, id, text: "" });
  useEffect(() => {
    setDraft((before) => {
      // It was born just now, or became temporary or kept: what was typed meanwhile stays in the field.
      const isSame = before.chat === chat && isNew(before.id) && before.id !== id;
      if (!isSame) return { chat, id, text: readDraft(id) || (id === null ? (prompt ?? "") : "") };
      writeDraft(before.id, "");
      writeDraft(id, before.text);
      return { chat, id, text: before.text };
    });
  }, [chat, id, prompt]);
  const setText = useCallback<SetText>(
    (next) =>
      setDraft((before) => {
        const text = typeof next === "string" ? next : next(before.text);
        writeDraft(before.id, text);
        return { ...before, text };
      }),
    [],
  );
  return [draft.text, setText];
}
