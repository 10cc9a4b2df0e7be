import type { Usage } from "./usage";

/** What fills the context: by whom it is said, and where it comes from. */
export type LedgerKind = "system" | "instructions" | "schemas" | "message" | "result" | "file" | "summary";

/** One thing that the model reads with the next message, or did read; tokens are estimates. */
export interface LedgerPart {
  kind: LedgerKind;
  /** Of a message, a call or a file; for what stands in the system prompt whose it is; for schemas their server's name. */
  id: string;
  /** Of a result the server and the tool, of instructions the server, of a file its name, of a message how it begins. */
  server?: string;
  name?: string;
  /** Of a message who wrote it. */
  by?: "user" | "assistant";
  /** Question to which it belongs, from 1. */
  turn?: number;
  /** Tools of a server. */
  count?: number;
  /** As it would be sent, and as it is stored. */
  tokens: number;
  full: number;
  /** A summary stands for it, whether it is sent again or not. */
  isReplaced?: true;
  /** Ids of the messages that the newest summary stands for. */
  replaces?: string[];
  /** `dropped`: the model reads a stand-in, or the summary that replaces it; of a summary: what it replaced instead. */
  state: LedgerState;
}

/** `pinned`: no summary and no trimming takes it. `trimmed`: about so many tokens of it are sent. */
export type LedgerState = "kept" | "dropped" | "pinned" | { trimmed: number };

/** What a conversation's model reads next. */
export interface Ledger {
  model: string;
  /** Tokens that the model can read; null where that is not known. */
  window: number | null;
  /** From so many tokens on Meguri makes it shorter by itself. */
  shortensAt: number | null;
  tokens: number;
  /**
   * What estimates were multiplied by, so that they come to what the provider counted for the newest answer; 1 where it has not
   * counted one of this model.
   */
  scale: number;
  /** Of all parts, also of those that are not listed. */
  totals: { kind: LedgerKind; count: number; tokens: number }[];
  /** In the order in which they are sent; of more than 500 the largest. */
  parts: LedgerPart[];
  /** What all runs of the conversation have used, in all its branches. */
  spent: Usage;
}
