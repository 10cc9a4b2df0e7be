/** Texts that are not sent yet, by conversation; "new" is the one that has no id. They survive a reload. */
const prefix = "meguri.draft.";
const maxDrafts = 50;
const maxChars = 100_000;

export function readDraft(conversationId: string | null): string {
  return read(key(conversationId)) ?? "";
}

export function writeDraft(conversationId: string | null, text: string): void {
  try {
    if (text === "") localStorage.removeItem(key(conversationId));
    else localStorage.setItem(key(conversationId), text.slice(0, maxChars));
    const drafts = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
    for (const name of drafts.slice(maxDrafts))
      if (name !== key(conversationId)) localStorage.removeItem(name);
  } catch {
    // Storage is full or off: the text is still in the composer.
  }
}

/** A small choice that is remembered in this browser. */
export function readChoice(name: string): string | null {
  return read(`meguri.${name}`);
}

export function writeChoice(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`meguri.${name}`);
    else localStorage.setItem(`meguri.${name}`, value);
  } catch {
    // It applies to this page only.
  }
}

const key = (conversationId: string | null) => prefix + (conversationId ?? "new");

function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
