import type { ChoicePatch } from "@/lib/protocol/choice";
import type { ModelItem } from "@/lib/protocol/settings";
import type { ChatStore } from "./chat-store";
import { writeChoice } from "./drafts";

/** The model of a conversation from its next message on, and what this browser begins the next one with. */
export function chooseModel(
  chat: ChatStore,
  id: string,
  models: readonly ModelItem[] | undefined,
  effort: string | null | undefined,
): Promise<boolean> {
  writeChoice("model", id);
  return chat.changes.choose(modelChoice(id, models, effort));
}

/** The model, without an effort that it does not know: that would only be refused. */
export function modelChoice(
  id: string,
  models: readonly ModelItem[] | undefined,
  effort: string | null | undefined,
): ChoicePatch {
  const next = models?.find((model) => model.id === id)?.efforts;
  const isKept = !next || !effort || next.some((each) => each === effort);
  return { model: id, ...(!isKept && { effort: null }) };
}
