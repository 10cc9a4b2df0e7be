"use client";

import { useEffect, useMemo, useState } from "react";
import type { SendOptions } from "@/lib/client/conversation/chat-request";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { readChoice, writeChoice } from "@/lib/client/conversation/drafts";
import { useModel, useModels } from "@/lib/client/conversation/models";
import type { Deferrals } from "@/lib/client/servers/context-cost";
import { defaultPreset, presetsKnown, usePresets } from "@/lib/client/servers/presets";
import { firstNamed } from "@/lib/protocol/choice";
import type { Effort } from "@/lib/protocol/effort";
import type { ConversationChoice, ServerPreset } from "@/lib/protocol/http";

/** What the conversation uses, and how another is chosen. */
export interface SendChoices {
  model: string | null;
  /** Null: all that are ready. */
  servers: readonly string[] | null;
  deferred: Deferrals;
  /** One that the model takes; null: as is set for it. */
  effort: Effort | null;
  setModel(model: string): void;
  setEffort(effort: Effort | null): void;
  setServers(servers: readonly string[] | null): void;
  setDeferred(deferred: Deferrals): void;
  /** The choice as it is now, once it is known what a new conversation begins with; the function itself never changes. */
  current(): Promise<SendOptions>;
}

export function useSendOptions(chat: ChatStore, state: ConversationState): SendChoices {
  const [remembered, remember] = useState<string | null>(null);
  const preset = defaultPreset(usePresets().data);
  const choice = useMemo(
    () => choiceIn({ id: state.id, choice: state.choice }, remembered, preset),
    [state.id, state.choice, remembered, preset],
  );
  const models = useModels().data?.items;
  const efforts = useModel(choice.model ?? null)?.efforts;
  const effort = efforts?.find((each) => each === choice.effort) ?? null;
  const [box] = useState(() => ({ chat }));
  useEffect(() => remember(readChoice("model")), []);
  useEffect(() => {
    box.chat = chat;
  }, [box, chat]);
  return useMemo(() => {
    const { model = null, servers = null, deferred = {} } = choice;
    return {
      ...{ model, servers, deferred, effort },
      setModel: (chosen) => {
        writeChoice("model", chosen);
        remember(chosen);
        const next = models?.find(({ id }) => id === chosen)?.efforts;
        // One that the other model does not know would only be refused.
        const isKept = !next || !effort || next.includes(effort);
        void chat.choose({ model: chosen, ...(!isKept && { effort: null }) });
      },
      setEffort: (chosen) => void chat.choose({ effort: chosen }),
      setServers: (chosen) => void chat.choose({ servers: chosen }),
      setDeferred: (chosen) => void chat.choose({ deferred: chosen }),
      current: async () => {
        if (box.chat.conversation.getState().id === null) await presetsKnown();
        return choiceIn(box.chat.conversation.getState(), readChoice("model"), defaultPreset());
      },
    };
  }, [box, chat, choice, effort, models]);
}

/**
 * A conversation uses what was chosen for it. A new one begins with the model that was chosen last in this browser, and with the
 * default preset.
 */
function choiceIn(
  { id, choice }: Pick<ConversationState, "id" | "choice">,
  remembered: string | null,
  preset: ServerPreset | undefined,
): ConversationChoice {
  if (id !== null) return choice ?? {};
  return firstNamed(
    choice,
    remembered === null ? null : { model: remembered },
    preset && { servers: preset.servers },
  );
}
