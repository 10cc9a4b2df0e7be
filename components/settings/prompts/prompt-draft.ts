import type { PromptFields } from "@/lib/protocol/prompts";

export const emptyDraft: PromptFields = { name: "", text: "" };

export const isSameDraft = (a: PromptFields, b: PromptFields): boolean =>
  a.name.trim() === b.name.trim() && a.text === b.text;

/** What is not saved yet, by id of the prompt; "new" is the one that has none. It lasts until the tab is closed. */
const drafts = new Map<string, PromptFields>();

export const readDraft = (id: string): PromptFields | undefined => drafts.get(id);

/** Null: there is nothing more to save. */
export function keepDraft(id: string, draft: PromptFields | null): void {
  if (draft) drafts.set(id, draft);
  else drafts.delete(id);
}
