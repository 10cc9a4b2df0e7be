"use client";

import { KnownSentences } from "@/components/ui/words/sentences";
import { MessageQueue } from "@/lib/client/conversation/message-queue";
import { bringRunCode } from "@/lib/client/conversation/run-code";
import { StoredTurns } from "@/lib/client/conversation/stored-turns";
import { readAhead } from "@/lib/client/conversation/use-conversation";
import { RunFollower } from "@/lib/client/run/run-follower";
import type { OpenedConversation } from "@/lib/protocol/opened-conversation";
import { conversationIn } from "./address";
import { ChatScreen } from "./chat-screen";
import { DrawnAt } from "./parts/use-now";

bringRunCode({ RunFollower, StoredTurns, MessageQueue });

/** Its scripts come with the page, and are run when it is drawn: the message field does not wait for them. */
const readBody = () => (require("./chat-body") as typeof import("./chat-body")).default;

export interface ConversationScreenProps {
  opened: OpenedConversation | null;
  /** What the server wrote in it for people, in the language of the page. */
  said: Readonly<Record<string, string>>;
}

/**
 * A conversation that is there already: what reads and draws its turns comes with the page, and not after it. What the
 * page has brought along stands in its HTML; else it is read while React takes the page over.
 */
export function ConversationScreen({ opened, said }: ConversationScreenProps) {
  if (typeof window !== "undefined" && !opened) {
    const id = conversationIn(location.pathname);
    if (id !== null) readAhead(id);
  }
  return (
    <DrawnAt value={opened?.readAt ?? null}>
      <KnownSentences said={said}>
        <ChatScreen readBody={readBody} opened={opened} />
      </KnownSentences>
    </DrawnAt>
  );
}
