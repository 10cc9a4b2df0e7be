import type { Readable } from "node:stream";
import type { ImportSource, LeftOut } from "@/lib/protocol/imports";
import type { ChatMessage } from "@/lib/protocol/message";
import type { LogEvent, RunRow, StoredChoice } from "@/lib/store/types";

/** One conversation of a file, in our form and not checked: what every reader gives and `ConversationWriter` stores. */
export interface ImportedConversation {
  source: ImportSource;
  /** What the file calls it. */
  sourceId: string;
  title: string;
  /** Epoch ms. */
  createdAt: number;
  updatedAt: number;
  pinned?: boolean;
  archived?: boolean;
  /** The name of the project that it is in. */
  project?: string;
  choice?: StoredChoice;
  leafId: string | null;
  /** Parents first; `orderTree` brings others into this order. */
  messages: ImportedMessage[];
  files: ImportedFile[];
  /** Of our own files alone. */
  runs?: ImportedRun[];
  leftOut: LeftOut[];
}

export interface ImportedMessage {
  /** The file's own; what is none of ours is replaced by one that is always the same for it. */
  id: string;
  parentId: string | null;
  /** Its file parts name the `id` of a file. */
  message: ChatMessage;
  createdAt: number;
  model?: string;
  runId?: string;
  clientMessageId?: string;
}

export interface ImportedFile {
  id: string;
  name: string;
  /** As the file says; what it is, its content shows. */
  mediaType: string;
  /** Bytes. */
  size?: number;
  createdAt?: number;
  /** Undefined when the export names it and does not hold it. */
  open(): Promise<Readable | undefined>;
}

export interface ImportedRun {
  row: RunRow;
  events: LogEvent[];
}
