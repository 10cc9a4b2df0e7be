import type { RunItem, StoredMessage } from "./http";
import type { ShareReplay } from "./share-replay";

export interface ShareItem {
  id: string;
  conversationId: string;
  title: string;
  url: string;
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  views: number;
  /** What its copy shows of calls, thoughts and files; null for everything. */
  policy: SharePolicy | null;
}

/** How much of a call a shared page shows; a summary: the main argument and the beginning of the result. */
export type ShownOfCall = "full" | "summary" | "hidden";

export interface SharePolicy {
  /** Of calls that no entry of `tools` names. */
  default: ShownOfCall;
  /** By `server__tool`, or `server__*` for the others of a server. */
  tools: Record<string, ShownOfCall>;
  /** Whether thoughts of models are shown. */
  reasoning: boolean;
  /** Whether files are shown; without, their names are not either. */
  attachments: boolean;
}

/** The frozen copy behind a link; holds no owner, server address, header or system prompt. */
export interface ShareSnapshot {
  title: string;
  createdAt: string;
  messages: StoredMessage[];
  runs: RunItem[];
  /** What its models were called, by their ids; absent in old snapshots. */
  modelNames?: Record<string, string>;
  /** Who has shared it, where that is told. */
  author?: string;
  /** Calls of which not all is here, by their ids; `characters` is how long a shortened result was. */
  withheld?: Record<string, { shown: "summary" | "hidden"; characters?: number }>;
  /** How it came to be, where the link plays it. */
  replay?: ShareReplay;
}
