/** What the tabs of a browser, and the parts of one page, tell each other. */
export interface TabNews {
  conversationId: string;
}

/** A run was started or answered, or a conversation changed: tabs that show it fetch it again. */
export function tellTabs(news: TabNews): void {
  const channel = open();
  channel?.postMessage(news);
  channel?.close();
}

/** Listens to all tabs, this page too; returns how to stop. */
export function hearTabs(listener: (news: TabNews) => void): () => void {
  const channel = open();
  if (channel) channel.onmessage = ({ data }) => listener(data);
  return () => channel?.close();
}

const open = () =>
  typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel("meguri.conversations");
