"use client";

import { loadRunCode } from "@/lib/client/conversation/run-code";
import { readAhead } from "@/lib/client/conversation/use-conversation";
import { conversationIn } from "./address";
import ChatBody from "./chat-body";
import { ChatScreen } from "./chat-screen";

if (typeof window !== "undefined") {
  loadRunCode().catch(() => {});
  const opened = conversationIn(location.pathname);
  if (opened !== null) readAhead(opened);
}

/** A conversation that is there already: what draws its turns comes with the page, and not after it. */
export function ConversationScreen() {
  return <ChatScreen Body={ChatBody} />;
}
