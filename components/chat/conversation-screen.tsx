"use client";

import { loadStoredTurns } from "@/lib/client/conversation/conversation-store";
import ChatBody from "./chat-body";
import { ChatScreen } from "./chat-screen";

if (typeof window !== "undefined") loadStoredTurns().catch(() => {});

/** A conversation that is there already: what draws its turns comes with the page, and not after it. */
export function ConversationScreen() {
  return <ChatScreen Body={ChatBody} />;
}
