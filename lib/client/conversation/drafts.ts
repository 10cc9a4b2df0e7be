import { isTemporaryId } from "@/lib/protocol/temporary";

/** Texts that are not sent yet, by conversation; "new" is the one that has no id. They survive a reload. */
const prefix = "meguri.draft.";
const maxDrafts = 50;
const maxChars = 100_000;

/** The place of drafts for a temporary chat that has no id yet. */
export const newTemporary = "temporary";
/** Drafts that only this page may hold, by key. */
const unkept = new Map<string, string>();

/** Whether what is not sent yet there may be stored in the browser. */
export const keepsDrafts = (conversationId: string | null): boolean =>
  conversationId !== newTemporary && !isTemporaryId(conversationId ?? "");

/** By key, what is not in storage yet: a write for each letter would hold up the next one. */
const unsaved = new Map<string, string>();
const saveAfterMs = 500;
let timer: ReturnType<typeof setTimeout> | undefined;

/** By key, what is on its way to the server. */
const sending = new Map<string, string>();

export function readDraft(conversationId: string | null): string {
  const name = key(conversationId);
  return unkept.get(name) ?? unsaved.get(name) ?? withoutSent(name, read(name) ?? "");
}

/** Until the returned function is called the text is stored with what is typed, so that a page that goes before the server has it loses nothing. */
export function keepWhileSending(conversationId: string | null, text: string): () => void {
  if (!keepsDrafts(conversationId)) return () => {};
  const name = key(conversationId);
  sending.set(name, text);
  return () => {
    const typed = readDraft(conversationId);
    sending.delete(name);
    writeDraft(conversationId, typed);
  };
}

/** Stored within half a second, and before the page can go. */
export function writeDraft(conversationId: string | null, text: string): void {
  if (!keepsDrafts(conversationId)) {
    unkept.set(key(conversationId), text);
    return;
  }
  unsaved.set(key(conversationId), text);
  timer ??= setTimeout(save, saveAfterMs);
  // A phone ends a page that is not seen without a word.
  addEventListener("visibilitychange", save, { once: true });
  addEventListener("pagehide", save, { once: true });
}

function save(): void {
  clearTimeout(timer);
  timer = undefined;
  try {
    for (const [name, typed] of unsaved) {
      const text = [sending.get(name), typed].filter(Boolean).join("\n");
      if (text === "") localStorage.removeItem(name);
      else localStorage.setItem(name, text.slice(0, maxChars));
    }
    const drafts = Object.keys(localStorage).filter((name) => name.startsWith(prefix));
    for (const name of drafts.slice(maxDrafts)) if (!unsaved.has(name)) localStorage.removeItem(name);
  } catch {
    // Storage is full or off: the text is still in the composer.
  }
  unsaved.clear();
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

function withoutSent(name: string, stored: string): string {
  const sent = sending.get(name);
  return sent !== undefined && stored.startsWith(sent) ? stored.slice(sent.length + 1) : stored;
}

const key = (conversationId: string | null) => prefix + (conversationId ?? "new");

function read(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}
