"use client";

import { MessageQueue } from "@/lib/client/conversation/message-queue";
import { bringRunCode } from "@/lib/client/conversation/run-code";
import { StoredTurns } from "@/lib/client/conversation/stored-turns";
import { readAhead } from "@/lib/client/conversation/use-conversation";
import { RunFollower } from "@/lib/client/run/run-follower";
import { conversationIn } from "./address";
import ChatBody from "./chat-body";
import { ChatScreen } from "./chat-screen";

if (typeof window !== "undefined") {
  bringRunCode({ RunFollower, StoredTurns, MessageQueue });
  const opened = conversationIn(location.pathname);
  if (opened !== null) readAhead(opened);
}

/** A conversation that is there already: what reads and draws its turns comes with the page, and not after it. */
export function ConversationScreen() {
  return <ChatScreen Body={ChatBody} />;
}
