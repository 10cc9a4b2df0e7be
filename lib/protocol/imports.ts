/** The program that wrote a file of conversations. */
export type ImportSource = "meguri" | "chatgpt" | "claude" | "librechat" | "openwebui";

/** What an import does not take over, or not as it was. */
export type LeftOutKind =
  /** A file that the export names and does not hold. */
  | "missing_file"
  /** A file of a kind or size that cannot be attached. */
  | "refused_file"
  /** What the program told the model or itself, and showed to nobody. */
  | "hidden_message"
  /** A part of a message of a kind that is not known here. */
  | "unknown_part"
  /** What waited behind an answer: nothing is asked because of a file. */
  | "queued_message"
  /** The project that a conversation was in: no more can be added here. */
  | "project"
  /** A conversation that cannot be read. */
  | "broken_conversation"
  /** A conversation without messages. */
  | "empty_conversation"
  /** An entry of the archive that is nobody's: projects, memories, accounts. */
  | "other_file"
  /** An entry of the archive with a name that leads out of it, or that is a link. */
  | "unsafe_name";

export interface LeftOut {
  what: LeftOutKind;
  count: number;
}

/** What a file holds, before anything of it is stored. */
export interface ImportPreview {
  sources: SourcePreview[];
}

export interface SourcePreview {
  source: ImportSource;
  conversations: number;
  messages: number;
  /** Versions beside the shown ones. */
  branches: number;
  files: number;
  /** Of the conversations, those that would bring nothing new. */
  alreadyHere: number;
  /** Of the conversations, those that would be added to what is here. */
  extended: number;
  /** Of the conversations, those that would be left alone. */
  leftAlone: number;
  /** Of the oldest and the newest conversation. */
  from: string | null;
  to: string | null;
  leftOut: LeftOut[];
}

/** Why a conversation of the file was not stored. */
export type SkipCode =
  | "already_here"
  /** It was continued here since it was imported, and in the file too. */
  | "continued_since"
  /** The file holds other words under the names of messages that are here. */
  | "changed_since"
  | "empty"
  | "broken"
  | "too_large";

export interface SkippedConversation {
  title: string;
  code: SkipCode;
  /** A sentence. */
  reason: string;
}

export interface ImportResult {
  /** New conversations, and those that were added to. */
  imported: number;
  /** Of them, conversations that were here and got the messages that the file has beyond them. */
  extended: number;
  /** The first 200; `skippedCount` counts all. */
  skipped: SkippedConversation[];
  skippedCount: number;
  /** The first 10,000, as the file has them. */
  conversationIds: string[];
  leftOut: LeftOut[];
}

/** `total`: conversations of the file, null while they are being counted; `title`: the one that was looked at last. */
export interface ImportProgress {
  done: number;
  total: number | null;
  title: string;
}
