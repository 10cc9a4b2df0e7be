/**
 * What can go wrong in a store. At the opening: `data_dir` (cannot be made or written), `newer_version`, `corrupt`.
 * Later: `duplicate` (an id, a sequence number or a client id exists already), `not_found`, `conflict`, `invalid`,
 * `too_many` (a bound that was asked for), `broken_row`, `memory_full` (of a store in memory), and what the disk says: `disk_full`, `read_only`, `busy`, `io`.
 */
export type StoreErrorCode =
  | "data_dir"
  | "newer_version"
  | "corrupt"
  | "duplicate"
  | "not_found"
  | "conflict"
  | "invalid"
  | "too_many"
  | "broken_row"
  | "disk_full"
  | "memory_full"
  | "read_only"
  | "busy"
  | "io";

/** A failure of the store; the message is one clear sentence, with the next step where a person can take one. */
export class StoreError extends Error {
  override name = "StoreError";
  constructor(
    readonly code: StoreErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What may pass while the process lives: space is made, a lock is let go, a disk comes back. */
const passing: ReadonlySet<string> = new Set<StoreErrorCode>([
  "disk_full",
  "memory_full",
  "busy",
  "io",
  "read_only",
]);

/** Whether the store may take the same a moment later. By the name: it may come from another bundle. */
export const mayPass = (cause: unknown): boolean =>
  cause instanceof Error && cause.name === "StoreError" && "code" in cause && passing.has(String(cause.code));

/** By the name, as `mayPass`. */
export const isMemoryFull = (cause: unknown): boolean =>
  cause instanceof Error && cause.name === "StoreError" && "code" in cause && cause.code === "memory_full";

/** Another process works on the same folder. `pid` is null when it left no number behind. */
export class DataDirInUseError extends Error {
  override name = "DataDirInUseError";
  constructor(
    readonly dataDir: string,
    readonly pid: number | null,
  ) {
    const who = pid === null ? "another process" : `process ${pid}`;
    super(`DATA_DIR ${dataDir} is in use by ${who}; stop it, or set DATA_DIR to another folder.`);
  }
}

/** Another process works on the same database. `holder` is how its session is called: "meguri <host> <pid> …". */
export class DatabaseInUseError extends Error {
  override name = "DatabaseInUseError";
  constructor(readonly holder: string | undefined) {
    super(
      `The database of DATABASE_URL is in use by ${holder || "another process"}; stop it, or set DATABASE_URL to another database.`,
    );
  }
}

/** A cursor that no list of ours has given out. */
export class BadCursorError extends Error {
  override name = "BadCursorError";
  constructor() {
    super("cursor: not one of ours; start again without it.");
  }
}
