"use client";

import { useEffect, useMemo, useState } from "react";
import type { SendOptions } from "@/lib/client/conversation/chat-request";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { readChoice, writeChoice } from "@/lib/client/conversation/drafts";
import { useModel } from "@/lib/client/conversation/models";
import type { Deferrals } from "@/lib/client/servers/context-cost";
import { defaultPreset, presetsKnown, usePresets } from "@/lib/client/servers/presets";
import type { ServerChoice, ServerPreset } from "@/lib/protocol/http";
import type { Effort } from "@/lib/protocol/settings";

/** What goes along with each message: the model and the effort that this browser remembers, the servers that the conversation uses. */
export interface SendChoices extends SendOptions {
  deferred: Deferrals;
  /** One that the model takes; null: as is set for it. */
  effort: Effort | null;
  setModel(model: string): void;
  setEffort(effort: Effort | null): void;
  /** Null: all that are ready. */
  setServers(servers: readonly string[] | null): void;
  setDeferred(deferred: Deferrals): void;
  /** The choice as it is now, once it is known what a new conversation begins with; the function itself never changes. */
  current(): Promise<SendOptions>;
}

const nothingChosen: ServerChoice = { servers: null, deferred: {} };

export function useSendOptions(chat: ChatStore, state: ConversationState): SendChoices {
  const [model, setModel] = useState<string | null>(null);
  const [wanted, setWanted] = useState<string | null>(null);
  const effort = useModel(model)?.efforts?.find((each) => each === wanted) ?? null;
  const preset = defaultPreset(usePresets().data);
  const choice = useMemo(
    () => choiceIn({ id: state.id, choice: state.choice }, preset),
    [state.id, state.choice, preset],
  );
  const [box] = useState(() => ({ chat, model, effort }));
  useEffect(() => {
    setModel(readChoice("model"));
    setWanted(readChoice("effort"));
  }, []);
  useEffect(() => {
    box.chat = chat;
    box.model = model;
    box.effort = effort;
  }, [box, chat, model, effort]);
  return useMemo(
    () => ({
      model,
      effort,
      ...choice,
      setEffort: (chosen) => {
        writeChoice("effort", chosen);
        setWanted(chosen);
      },
      setModel: (chosen) => {
        writeChoice("model", chosen);
        setModel(chosen);
      },
      setServers: (servers) => void chat.choose({ ...choice, servers }),
      setDeferred: (deferred) => void chat.choose({ ...choice, deferred }),
      current: async () => {
        if (box.chat.conversation.getState().id === null) await presetsKnown();
        const { model, effort } = box;
        return { model, effort, ...choiceIn(box.chat.conversation.getState(), defaultPreset()) };
      },
    }),
    [box, chat, model, effort, choice],
  );
}

/** Where nothing was chosen, a new conversation begins with the default preset and an old one uses every server. */
function choiceIn(
  { id, choice }: Pick<ConversationState, "id" | "choice">,
  preset: ServerPreset | undefined,
): ServerChoice {
  if (choice) return choice;
  return id === null && preset ? { servers: preset.servers, deferred: {} } : nothingChosen;
}
