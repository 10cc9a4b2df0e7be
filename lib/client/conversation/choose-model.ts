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
  const next = models?.find((model) => model.id === id)?.efforts;
  // One that the other model does not know would only be refused.
  const isKept = !next || !effort || next.some((each) => each === effort);
  return chat.changes.choose({ model: id, ...(!isKept && { effort: null }) });
}
