import type { ImportSource } from "@/lib/protocol/imports";
import { readChatGpt } from "./chatgpt";
import { readClaude } from "./claude";
import type { ExportFiles } from "./export-files";
import type { ImportedConversation } from "./imported";
import { readLibreChat } from "./librechat";
import { readOpenWebUi } from "./openwebui";
import { readOwnFile } from "./own-file";
import { isObject, type JsonObject } from "./shape";

interface Reader {
  source: ImportSource;
  /** Whether a value is a conversation of this program. */
  matches(value: JsonObject): boolean;
  read(value: JsonObject, files: ExportFiles): ImportedConversation;
}

/** One for each program; their forms exclude each other. */
const readers: readonly Reader[] = [
  { source: "meguri", matches: ({ meguri }) => meguri === "conversation", read: readOwnFile },
  { source: "chatgpt", matches: ({ mapping }) => isObject(mapping), read: readChatGpt },
  { source: "claude", matches: ({ chat_messages: messages }) => Array.isArray(messages), read: readClaude },
  {
    source: "librechat",
    matches: ({ conversationId, messages, messagesTree }) =>
      typeof conversationId === "string" && (Array.isArray(messages) || Array.isArray(messagesTree)),
    read: readLibreChat,
  },
  {
    source: "openwebui",
    matches: ({ chat }) => isObject(chat) && (isObject(chat.history) || Array.isArray(chat.messages)),
    read: readOpenWebUi,
  },
];

export const findReader = (value: unknown): Reader | undefined =>
  isObject(value) ? readers.find((reader) => reader.matches(value)) : undefined;
