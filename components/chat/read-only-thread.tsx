"use client";

import { messagesToTurns } from "@/lib/client/messages-to-turns";
import type { RunItem, StoredMessage } from "@/lib/protocol/http";
import MarkdownText from "./markdown/markdown-text";
import { Turn } from "./turn";
import "./chat.css";

/** A conversation that is only read: complete in the HTML of the server, and its lines open without JavaScript. */
export function ReadOnlyThread({
  messages,
  runs,
}: {
  messages: readonly StoredMessage[];
  runs: readonly RunItem[];
}) {
  return messagesToTurns(messages, runs).map((turn) => (
    <Turn key={turn.key} turn={turn} Text={MarkdownText} />
  ));
}
