import { keptDrafts } from "@/components/settings/kept-drafts";
import type { PromptFields } from "@/lib/protocol/prompts";

export const emptyDraft: PromptFields = { name: "", text: "" };

export const isSameDraft = (a: PromptFields, b: PromptFields): boolean =>
  a.name.trim() === b.name.trim() && a.text === b.text;

export const { readDraft, keepDraft, settleDraft } = keptDrafts<PromptFields>();
