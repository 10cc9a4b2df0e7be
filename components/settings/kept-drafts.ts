/** What is not saved yet, by id of what it changes; "new" is what is being made. It lasts until the tab is closed. */
export function keptDrafts<Draft>() {
  const drafts = new Map<string, Draft>();
  return {
    readDraft: (id: string): Draft | undefined => drafts.get(id),
    /** Null: there is nothing more to save. */
    keepDraft(id: string, draft: Draft | null): void {
      if (draft) drafts.set(id, draft);
      else drafts.delete(id);
    },
  };
}
