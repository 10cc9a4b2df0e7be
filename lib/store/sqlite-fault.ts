import { StoreError, type StoreErrorCode } from "./errors";

/** What SQLite calls a database that is in memory alone. */
export const memoryPath = ":memory:";

/** Primary and extended result codes of SQLite. */
const busy = 5;
const codes: Record<number, StoreErrorCode> = {
  [busy]: "busy",
  6: "busy",
  8: "read_only",
  10: "io",
  11: "corrupt",
  13: "disk_full",
  14: "io",
  26: "corrupt",
  275: "invalid",
  787: "not_found",
  1555: "duplicate",
  2067: "duplicate",
  // The memory that connections share lies in a file, for which there is no room.
  4874: "disk_full",
};

/** What SQLite says about a file, as a StoreError; anything else comes back as it is. */
export function toStoreError(cause: unknown, path: string): unknown {
  const number = errcode(cause);
  if (number === undefined || !(cause instanceof Error)) return cause;
  const known = codes[number] ?? codes[number & 0xff] ?? "io";
  const code = known === "disk_full" && path === memoryPath ? "memory_full" : known;
  return new StoreError(code, sentence(code, path, cause.message), { cause });
}

/** Whether somebody else holds the lock of the file. */
export const isBusy = (cause: unknown): boolean => ((errcode(cause) ?? 0) & 0xff) === busy;

const errcode = (cause: unknown): number | undefined =>
  cause instanceof Error && "errcode" in cause && typeof cause.errcode === "number"
    ? cause.errcode
    : undefined;

function sentence(code: StoreErrorCode, path: string, reason: string): string {
  switch (code) {
    case "corrupt":
      return `${path} is damaged or no database of ours (${reason}); restore it from a backup, or move it away to start empty.`;
    case "disk_full":
      return `${path} cannot grow (${reason}); free some space on that disk.`;
    case "memory_full":
      return `${path} takes all the memory that it may (${reason}).`;
    case "read_only":
      return `${path} cannot be written (${reason}); give this user the right to write it, or set DATA_DIR to another folder.`;
    case "busy":
      return `${path} is locked by another program (${reason}); close that program.`;
    case "not_found":
      return `A row that this one refers to is not there (${reason}).`;
    case "io":
    case "data_dir":
    case "newer_version":
      return `${path} cannot be used (${reason}); check the disk and the permissions of DATA_DIR.`;
    case "duplicate":
    case "conflict":
    case "invalid":
    case "too_many":
    case "broken_row":
      return `It is not stored: ${reason}.`;
  }
}
