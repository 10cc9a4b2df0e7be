import { isApple } from "@/components/ui/key";

/** The keys that work on every page; the sheet shows the same. `Mod` is the command key on Apple's keyboards and Ctrl elsewhere. */
export const pageKeys = {
  palette: "Mod+K",
  newChat: "Mod+Shift+O",
  temporaryChat: "Mod+Shift+L",
  sidebar: "Mod+Shift+S",
  settings: "Mod+.",
  sheet: "Mod+/",
} as const;

/** Find in the conversation: the browser keeps Mod+F, which finds in any page, and only what is drawn. */
export const findKeys = "Mod+Shift+F";

/** From question to question in the conversation, outside of a text. */
export const questionKeys = { previous: "Alt+ArrowUp", next: "Alt+ArrowDown" } as const;

/** What is selected in the conversation goes into the message as a quotation. */
export const quoteKeys = "Alt+Q";

/** Forks the answer at the call whose line has the focus. */
export const forkKeys = "F";

/** From version to version of the artifact that is open. */
export const versionKeys = { previous: "Alt+ArrowLeft", next: "Alt+ArrowRight" } as const;

/** Whoever pressed a key longer ago no longer waits for it. */
const lastKeyMs = 5_000;

/**
 * For what begins to listen: the page stands there before its parts do. Gives `press` the key that was pressed last, unless something has
 * taken it, so that a key is late and not lost. `EarlyClick` keeps it.
 */
export function pressLastKey(press: (event: KeyboardEvent) => void): void {
  const key = globalThis.lastKey;
  if (!key || key.defaultPrevented || performance.now() - key.timeStamp > lastKeyMs) return;
  // While it is on its way it comes by itself.
  if (key.eventPhase === Event.NONE) press(key);
}

/** Whether an event is these keys. Letters go by what they write, or by their place where that is no Latin letter. */
export function isKeys(event: KeyboardEvent, keys: string): boolean {
  const parts = keys.split("+");
  const key = parts.at(-1) ?? "";
  const wants = (name: string) => parts.includes(name);
  if (event.shiftKey !== wants("Shift") || event.altKey !== wants("Alt")) return false;
  const [mod, other] = isApple() ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  if (mod !== wants("Mod") || other) return false;
  const isLetter = /^[A-Z]$/.test(key);
  if (!isLetter) return event.key === key;
  return /^[a-z]$/i.test(event.key) ? event.key.toUpperCase() === key : event.code === `Key${key}`;
}
