import { keptDrafts } from "@/components/settings/kept-drafts";
import type { FieldErrors } from "@/components/settings/use-field-errors";
import type { AssistantPatch } from "@/lib/client/conversation/assistants";
import type { Assistant } from "@/lib/protocol/assistants";
import { iconOf } from "@/lib/protocol/assistants";
import { efforts } from "@/lib/protocol/effort";

/** The form as it is filled in; an empty text is a field that is not set. */
export interface AssistantDraft {
  name: string;
  icon: string;
  description: string;
  instructions: string;
  model: string;
  effort: string;
  agent: string;
  /** Null: what the conversation uses anyway. */
  servers: readonly string[] | null;
  /** How the tools of servers are found; kept as it is, the form does not change it. */
  deferred: Assistant["deferred"] | null;
  examples: readonly string[];
}

/** What the form has a place for. */
export const formFields = [
  "name",
  "icon",
  "description",
  "instructions",
  "model",
  "effort",
  "servers",
  "agent",
  "examples",
] as const;

export type AssistantErrors = FieldErrors<(typeof formFields)[number]>;

export const emptyDraft: AssistantDraft = {
  name: "",
  icon: "",
  description: "",
  instructions: "",
  model: "",
  effort: "",
  agent: "",
  servers: null,
  deferred: null,
  examples: [],
};

export const toDraft = (assistant: Partial<Assistant>): AssistantDraft => ({
  name: assistant.name ?? "",
  icon: assistant.icon ?? "",
  description: assistant.description ?? "",
  instructions: assistant.instructions ?? "",
  model: assistant.model ?? "",
  effort: assistant.effort ?? "",
  agent: assistant.agent ?? "",
  servers: assistant.servers ?? null,
  deferred: assistant.deferred ?? null,
  examples: assistant.examples ?? [],
});

/** All fields, so that what was emptied is taken back. */
export const toPatch = (draft: AssistantDraft): AssistantPatch => ({
  name: draft.name.trim(),
  icon: draft.icon.trim() || iconOf(draft.name) || undefined,
  description: draft.description.trim(),
  instructions: draft.instructions,
  model: draft.model || null,
  effort: efforts.find((each) => each === draft.effort) ?? null,
  agent: draft.agent || null,
  servers: draft.servers && [...draft.servers],
  deferred: draft.deferred ?? null,
  examples: draft.examples.map((text) => text.trim()).filter(Boolean),
});

export const isSameDraft = (a: AssistantDraft, b: AssistantDraft): boolean =>
  JSON.stringify(toPatch(a)) === JSON.stringify(toPatch(b));

export const { readDraft, keepDraft, settleDraft } = keptDrafts<AssistantDraft>();
