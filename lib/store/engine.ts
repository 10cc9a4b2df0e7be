import type { Kysely } from "kysely";
import type { DB } from "./schema";

/** What differs from one database to another: how it is opened, and how one commit is made safer than the rest. */
export interface Engine {
  /** Every commit survives a power cut. */
  records: Kysely<DB>;
  /** A commit survives the death of the process; may be the same as `records`. */
  log: Kysely<DB>;
  /** Commits in `log` that survive a power cut, with everything committed before. */
  durably<T>(work: (log: Kysely<DB>) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
