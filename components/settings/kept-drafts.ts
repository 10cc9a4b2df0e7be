/** What is not saved yet, by id of what it changes; "new" is what is being made. It lasts until the tab is closed. */
export function keptDrafts<Draft>() {
  const drafts = new Map<string, Draft>();
  const readDraft = (id: string): Draft | undefined => drafts.get(id);
  /** Null: there is nothing more to save. */
  const keepDraft = (id: string, draft: Draft | null): void => {
    if (draft) drafts.set(id, draft);
    else drafts.delete(id);
  };
  /** `draft` of `id` was saved as `savedId`. What was typed meanwhile is not saved yet, and stays as a draft; whether there is some. */
  const settleDraft = (id: string, savedId: string, draft: Draft | null): boolean => {
    const typed = readDraft(id);
    const isNewer = typed !== undefined && typed !== draft;
    keepDraft(id, null);
    if (isNewer) keepDraft(savedId, typed);
    return isNewer;
  };
  return { readDraft, keepDraft, settleDraft };
}
