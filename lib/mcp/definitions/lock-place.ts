import type { Lock, Pin } from "./lock-file";

/** Changes a lock; whether there is anything to store. It may be called again, with what somebody else has stored meanwhile. */
export type LockEdit = (lock: Lock) => boolean;

/** Where pins are kept, and what is known of them. */
export interface LockPlace {
  readonly lock: ReadonlyMap<string, ReadonlyMap<string, Pin>>;
  /** It cannot be read: no definition counts as accepted then, and nothing is written in its place. */
  readonly isBroken: boolean;
  load(): void | Promise<void>;
  /** A change that a person has asked for; throws `McpConfigError` "file_broken" where nothing can be written. */
  change(edit: LockEdit): Promise<void>;
  /** One that comes by itself: what cannot be stored is told of in the log. */
  meet(edit: LockEdit): void | Promise<void>;
  saved(): Promise<void>;
  close(): void;
}
