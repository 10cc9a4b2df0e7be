import type { McpConfigError } from "./config-fault";

/** A text as it was read; `version` tells it from those before and after it. */
export interface FoundText {
  text: string;
  version: string;
}

/** A text that has a place of its own: a file, or a row that several instances share. */
export interface TextDocument {
  /** How people know it. */
  readonly label: string;
  /** Other instances write it too, and see to what follows from their changes themselves. */
  readonly isShared: boolean;
  /** Nobody but the operator has written what is there. */
  readonly isSeed: boolean;
  /** Undefined where there is none. A `ConfigFault` for what a person has to put right. */
  read(): Promise<FoundText | undefined>;
  /**
   * Puts a text in place of the one with this version, undefined where there is none yet. The new version, or undefined
   * where another text is there now: nothing is written then. Throws `McpConfigError` where it cannot be written.
   */
  write(text: string, version: string | undefined): Promise<string | undefined>;
  /** Why nothing is written in place of a text that cannot be read, with the next step. */
  refusal(fault: { message: string; line: number | null }): McpConfigError;
  /** Calls `look` whenever another text may be there. Returns how to stop. */
  watch(look: () => Promise<void>): () => void;
}
