"use client";

import { useEffect, useState } from "react";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { QueueLine } from "@/lib/client/conversation/conversation-state";

export interface LineEdit {
  /** The key of the line whose words are being changed. */
  key: string | null;
  draft: string;
  begin(line: QueueLine): void;
  write(draft: string): void;
  keep(): void;
  leave(): void;
}

/** Changes the words of one line at a time. What the model has got meanwhile cannot be changed: the new words stay the person's. */
export function useLineEdit(
  chat: ChatStore,
  lines: readonly QueueLine[],
  onLeftOver: (text: string) => void,
): LineEdit {
  const [edit, setEdit] = useState<{ line: QueueLine; draft: string } | null>(null);
  const isGone = edit !== null && !lines.some(({ key }) => key === edit.line.key);
  useEffect(() => {
    if (!isGone || !edit) return;
    setEdit(null);
    if (edit.draft.trim() !== edit.line.text) onLeftOver(edit.draft);
  }, [isGone, edit, onLeftOver]);
  const keep = async () => {
    if (!edit || edit.draft.trim() === "") return;
    const text = edit.draft.trim();
    setEdit(null);
    if (text === edit.line.text || (await chat.changeQueued(edit.line.id, { text }))) return;
    if (chat.conversation.getState().queue.lines.some(({ id }) => id === edit.line.id)) setEdit(edit);
    else onLeftOver(text);
  };
  return {
    key: edit?.line.key ?? null,
    draft: edit?.draft ?? "",
    begin: (line) => setEdit({ line, draft: line.text }),
    write: (draft) => setEdit((before) => before && { ...before, draft }),
    keep: () => void keep(),
    leave: () => setEdit(null),
  };
}
