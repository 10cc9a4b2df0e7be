"use client";

import { ChatScreen } from "./chat-screen";
import { ReadyMarkdown } from "./markdown/answer-text";
import MarkdownText from "./markdown/markdown-text";

/** A conversation that is there already: what draws its answers comes with the page, and not after it. */
export function ConversationScreen() {
  return (
    <ReadyMarkdown value={MarkdownText}>
      <ChatScreen />
    </ReadyMarkdown>
  );
}
