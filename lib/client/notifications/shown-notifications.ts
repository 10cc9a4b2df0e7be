import { makeNotification } from "./access";

export interface NotificationText {
  conversationId: string;
  /** Of the conversation. */
  title: string;
  sentence: string;
  lang: string;
}

/** On a lock screen there is room for less. */
const maxTitle = 80;

/** Those that this tab has made, by conversation. */
const shown = new Map<string, Notification>();

/** In the place of an older one of this conversation. Without a sound. */
export function showNotification(
  { conversationId, title, sentence, lang }: NotificationText,
  onClick: () => void,
): void {
  // A new one under the same tag would take its place without being seen.
  shown.get(conversationId)?.close();
  const short = title.length > maxTitle ? `${title.slice(0, maxTitle)}…` : title;
  const made = makeNotification(short || "Meguri", {
    body: sentence,
    tag: `meguri.${conversationId}`,
    lang,
    silent: true,
  });
  if (!made) return;
  shown.set(conversationId, made);
  made.onclick = () => {
    made.close();
    onClick();
  };
}

/** Closes those of all other conversations. */
export function keepNotifications(conversationIds: ReadonlySet<string>): void {
  for (const [id, made] of shown) {
    if (conversationIds.has(id)) continue;
    made.close();
    shown.delete(id);
  }
}
