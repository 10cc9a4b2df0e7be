import type { ConversationChoice } from "./choice";
import type { Chunk } from "./chunk";
import type { ContextChoices } from "./context-choice";
import type { QueuedWhen, RunIteration, RunStatus } from "./http";
import type { ChatMessage } from "./message";

/** Written into each file, and the newest that is read. A change that an older reader would misread makes it one higher. */
export const conversationFileVersion = 1;

/**
 * One conversation as a file of its own: everything that is stored of it but who it belongs to, its links, and what people
 * have allowed. Times are ISO 8601 UTC. `docs/conversation-file.md` describes it for people.
 */
export interface ConversationFile {
  meguri: "conversation";
  version: number;
  id: string;
  title: string;
  createdAt: string;
  updatedAt: string;
  pinned: boolean;
  archived: boolean;
  /** The name of the project that it is in. */
  project: string | null;
  choice: (Omit<ConversationChoice, "allowReads"> & { context?: ContextChoices }) | null;
  /** Last message of the current branch. */
  leafId: string | null;
  /** All branches, parents first. */
  messages: FileMessage[];
  /** Oldest first. */
  runs: FileRun[];
  /** What waits behind an answer, and is no message yet. It is kept to be read; nothing is asked because of a file. */
  waiting: FileWaiting[];
  files: FileAttachment[];
}

export interface FileMessage {
  id: string;
  parentId: string | null;
  createdAt: string;
  /** The run that wrote it, or read it on its way. */
  runId?: string;
  model?: string;
  clientMessageId?: string;
  message: ChatMessage;
}

export interface FileRun {
  id: string;
  messageId: string;
  parentId: string;
  /** As it was when the file was made: one that ran or waited then has not ended. */
  status: RunStatus;
  model: string;
  agent: string | null;
  continues: string | null;
  startedAt: string;
  endedAt: string | null;
  options: Record<string, unknown>;
  iterations: RunIteration[];
  result: Record<string, unknown> | null;
  /** Its log, 1, 2, 3 … without a gap. */
  events: FileEvent[];
}

export interface FileEvent {
  seq: number;
  at: string;
  data: Chunk;
}

export interface FileWaiting {
  id: string;
  when: QueuedWhen;
  createdAt: string;
  message: ChatMessage;
}

/** The bytes are in `data` (base64), or in the entry `path` of the zip; neither: they were gone. */
export interface FileAttachment {
  id: string;
  name: string;
  mediaType: string;
  /** Bytes. */
  size: number;
  createdAt: string;
  data?: string;
  path?: string;
}

/** `meguri.json`, the first entry of a zip of conversations. */
export interface ExportManifest {
  meguri: "export";
  version: number;
  exportedAt: string;
  conversations: { id: string; title: string; updatedAt: string; path: string }[];
  /** Of all of them together; `bytes` as they are, not as they are packed. */
  attachments: { count: number; bytes: number };
}

/** `skipped.json`, the last entry where something is missing: it was deleted meanwhile, or cannot be read. */
export interface ExportSkipped {
  skipped: { id: string; title: string; reason: "deleted" | "damaged" }[];
}
