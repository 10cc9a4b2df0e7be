import type { Kysely, Transaction } from "kysely";
import type { Blobs } from "./blob-ports";
import type { Bus } from "./bus";
import type { Commands } from "./command-ports";
import type { EventRange, WrittenRange } from "./event-range";
import type { Leases } from "./leases";
import type { StoredRange } from "./packing/packed-range";
import type { DB } from "./schema";
import type { Tail, TailPlace } from "./types";

export type Dialect = "sqlite" | "postgres";

/** What differs from one database to another: how it is opened, and how one commit is made safer than the rest. */
export interface Engine {
  dialect: Dialect;
  members: EngineMembers;
  bus: Bus;
  /** Every commit survives a power cut. */
  records: Kysely<DB>;
  /**
   * A transaction on `records` that others see, and that survives the death of the process, when it is committed, and a power cut when
   * `durable` has resolved. Undefined where every commit waits for that.
   */
  commitEarly?(work: (trx: Transaction<DB>) => Promise<void>): Promise<{ durable: Promise<void> }>;
  /** A commit survives the death of the process; may be the same as `records`. */
  log: Kysely<DB>;
  /** Undefined where no other process may be there. */
  commands?: Commands;
  leases: Leases;
  /** Undefined where files lie beside the database. */
  blobs?: Blobs;
  /** Writes to `log`; with `durable` its commits survive a power cut, with everything committed before. */
  write(work: (writer: LogWriter) => void, durable: boolean): Promise<void>;
  /** The newest rows of this run, which `event_range` does not have yet. */
  unsettled(runId: string): readonly EventRange[];
  /** Undefined where there are none. */
  sessions?(): SessionCount;
  /** `RunLog.tails`, where several logs are read by one statement. */
  tails?(places: readonly TailPlace[]): Promise<Tail[]>;
  sizes(): Promise<TableSizes>;
  /** Gives back up to so many free pages of each file; false when few are left, which are soon used again. */
  giveBack(pages: number): Promise<boolean>;
  /** Writes what journals hold into the files and empties them. */
  checkpoint(): Promise<void>;
  /**
   * Deletes everything but `keptSettings` and approvals, finally: new files take the place of the old ones. Where the
   * process ends on the way, the next opening goes on.
   */
  empty(): Promise<void>;
  /** Everything was opened well: what is kept of an older version is no longer needed at the second time. */
  confirm(): Promise<void>;
  close(): Promise<void>;
}

/** Sessions of the database that statements share, and how many statements wait for one. */
export interface SessionCount {
  used: number;
  idle: number;
  waiting: number;
}

/** The processes that work on the database; this one may be the only one. */
export interface Members {
  /** Of this process: the owner of the runs that begin here. It becomes another one when others have taken over. */
  readonly id: string;
  /** Whether others may work on it: then it is to be looked whether they are still there. */
  readonly mayBeMany: boolean;
  /** Whether another one is there, as far as it is known: it is about a second behind. */
  readonly hasOthers: boolean;
  /** Whether what runs here is still left to this process; to be asked before something is sent that cannot be taken back. */
  holds(): boolean;
  /** For how long they still do, in ms; 0 when they may not, infinite where nobody else can be there. */
  remainingMs(): number;
  /** The listener is called as soon as `id` has become another one: nothing of what runs here may go on. */
  onLost(listener: () => void): () => void;
}

export interface EngineMembers extends Members {
  /** Of these ids, those of processes that are gone and can write nothing any more. */
  ended(ids: readonly string[]): Promise<string[]>;
}

/** Writes the run log. Each call is one commit, all or none. */
export interface LogWriter {
  /** `duplicate` when a run has one of the numbers already. */
  insert(appends: readonly Append[]): void;
  /** Puts all rows where those of their run are. */
  settle(): void;
  delete(runIds: readonly string[]): void;
  /** Deletes a part of logs that are larger, where that would hold the event loop; false, and nothing is changed, for others. */
  trim(runIds: readonly string[], part: { rows: number; bytes: number }): boolean;
  /** Puts `range` in the place of so many unpacked rows with its numbers; nothing is changed when they are gone. */
  replace(runId: string, range: StoredRange, rows: number): void;
}

/** Rows of one run, in order. */
export interface Append {
  runId: string;
  ranges: readonly WrittenRange[];
  /** By hash, what the model was sent and the run has not named before. */
  contents?: ReadonlyMap<string, string>;
  /** The run has ended with them. */
  isOver?: boolean;
  /** What was recorded of the wire, in place of what has this name; of a run that has no log (any more) it is not kept. */
  wire?: WireBody;
}

export interface WireBody {
  name: string;
  body: Uint8Array;
}

/** Bytes on the disk. */
export interface TableSizes {
  /** By the name of the table; with the indexes where they can be told from what is free inside of them. */
  tables: Readonly<Record<string, number>>;
  /** Room that is filled before the files grow. */
  unused: number;
}
