"use client";

import { useEffect, useMemo, useState } from "react";
import { assistantsKnown, findAssistant, useAssistants } from "@/lib/client/conversation/assistants";
import type { SendOptions } from "@/lib/client/conversation/chat-request";
import type { ChatStore } from "@/lib/client/conversation/chat-store";
import { chooseModel } from "@/lib/client/conversation/choose-model";
import type { ConversationState } from "@/lib/client/conversation/conversation-state";
import { readChoice } from "@/lib/client/conversation/drafts";
import { useModel, useModels } from "@/lib/client/conversation/models";
import { findProject, projectsKnown, useProjects } from "@/lib/client/conversation/projects";
import type { Deferrals } from "@/lib/client/servers/context-cost";
import { defaultPreset, presetsKnown, usePresets } from "@/lib/client/servers/presets";
import type { Assistant } from "@/lib/protocol/assistants";
import type { ConversationChoice, ServerPreset } from "@/lib/protocol/choice";
import { firstNamed } from "@/lib/protocol/choice";
import type { Effort } from "@/lib/protocol/effort";
import type { ProjectItem } from "@/lib/protocol/projects";

/** What the conversation uses, and how another is chosen. */
export interface SendChoices {
  model: string | null;
  /** Null: all that are ready. */
  servers: readonly string[] | null;
  deferred: Deferrals;
  /** One that the model takes; null: as is set for it. */
  effort: Effort | null;
  /** Undefined for none, and for one that was deleted. */
  assistant: Assistant | undefined;
  setModel(model: string): void;
  setEffort(effort: Effort | null): void;
  setServers(servers: readonly string[] | null): void;
  setDeferred(deferred: Deferrals): void;
  /** The one that the conversation is in, or begins in. */
  project: ProjectItem | undefined;
  setAssistant(assistant: Assistant | null): void;
  /** The choice as it is now, once it is known what a new conversation begins with; the function itself never changes. */
  current(): Promise<SendOptions>;
}

/** `place`: the project whose page a new conversation begins on. */
export function useSendOptions(
  chat: ChatStore,
  state: ConversationState,
  place: string | null = null,
): SendChoices {
  const [remembered, remember] = useState<string | null>(null);
  const project = findProject(projectIn(state, place), useProjects().data);
  const assistant = findAssistant(assistantIn(state, project), useAssistants().data);
  const preset = defaultPreset(usePresets().data);
  const choice = useMemo(
    () => choiceIn({ id: state.id, choice: state.choice }, remembered, preset, { assistant, project }),
    [state.id, state.choice, remembered, preset, assistant, project],
  );
  const shown = useMemo(
    () => firstNamed(choice, ownOf(assistant), project?.servers && { servers: project.servers }),
    [choice, assistant, project],
  );
  const models = useModels().data?.items;
  const efforts = useModel(shown.model ?? null)?.efforts;
  const effort = efforts?.find((each) => each === shown.effort) ?? null;
  const [box] = useState(() => ({ chat, place }));
  useEffect(() => remember(readChoice("model")), []);
  useEffect(() => {
    box.chat = chat;
    box.place = place;
  }, [box, chat, place]);
  return useMemo(() => {
    const { model = null, servers = null, deferred = {} } = shown;
    return {
      ...{ model, servers, deferred, effort, assistant },
      project,
      setModel: (chosen) => {
        remember(chosen);
        void chooseModel(chat, chosen, models, effort);
      },
      setEffort: (chosen) => void chat.changes.choose({ effort: chosen }),
      setServers: (chosen) => void chat.changes.choose({ servers: chosen }),
      setDeferred: (chosen) => void chat.changes.choose({ deferred: chosen }),
      setAssistant: (chosen) => {
        // What it brings takes the place of what was chosen before.
        const { model, effort, servers } = chosen ?? {};
        void chat.changes.choose({
          assistant: chosen?.id ?? null,
          ...(model && { model: null }),
          ...(effort && { effort: null }),
          ...(servers && chat.conversation.getState().choice?.servers !== undefined && { servers }),
        });
      },
      current: async () => {
        const { id, choice } = box.chat.conversation.getState();
        if (id === null) await presetsKnown();
        const { place } = box;
        if (id === null && place !== null) await projectsKnown();
        const given = findProject(place)?.assistant;
        if (choice?.assistant !== undefined || given !== undefined) await assistantsKnown();
        const now = box.chat.conversation.getState();
        const project = findProject(projectIn(now, place));
        const assistant = findAssistant(assistantIn(now, project));
        return {
          ...choiceIn(now, readChoice("model"), defaultPreset(), { assistant, project }),
          projectId: place,
        };
      },
    };
  }, [box, chat, shown, assistant, project, effort, models]);
}

/** What an assistant brings where the conversation says nothing. */
const ownOf = ({ model, effort, servers, deferred }: Partial<Assistant> = {}): ConversationChoice => ({
  ...(model && { model }),
  ...(effort && { effort }),
  ...(servers && { servers }),
  ...(deferred && { deferred }),
});

const projectIn = ({ id, projectId }: Pick<ConversationState, "id" | "projectId">, place: string | null) =>
  id === null ? place : projectId;

/** Id of the one that answers: that of the project where the conversation has chosen none. */
const assistantIn = ({ choice }: Pick<ConversationState, "choice">, project: ProjectItem | undefined) =>
  choice?.assistant === undefined ? project?.assistant : choice.assistant;

/**
 * A conversation uses what was chosen for it. A new one begins with the model that was chosen last in this browser, and with the
 * default preset, where its assistant and its project bring none.
 */
function choiceIn(
  { id, choice }: Pick<ConversationState, "id" | "choice">,
  remembered: string | null,
  preset: ServerPreset | undefined,
  { assistant, project }: { assistant: Assistant | undefined; project: ProjectItem | undefined },
): ConversationChoice {
  if (id !== null) return choice ?? {};
  return firstNamed(
    choice,
    remembered === null || assistant?.model ? null : { model: remembered },
    preset && !assistant?.servers && !project?.servers ? { servers: preset.servers } : null,
  );
}
