import type { StoreError } from "@/lib/store/errors";
import { HttpError } from "./errors";

/** By name: what is thrown may come from another bundle of the same class. */
export const isStoreError = (cause: unknown): cause is StoreError =>
  cause instanceof Error && cause.name === "StoreError" && "code" in cause;

/** Whether somebody else was first: what was read before this write does not hold any more. */
export const isConflict = (cause: unknown): boolean => isStoreError(cause) && cause.code === "conflict";

/** Whether what was to be added is there already. */
export const isDuplicate = (cause: unknown): boolean => isStoreError(cause) && cause.code === "duplicate";

/** What the disk or the database says, as an answer that names it; undefined for what is a fault of ours. */
export function failureOfStore(cause: unknown): HttpError | undefined {
  if (isFull(cause)) return full();
  if (!isStoreError(cause)) return undefined;
  switch (cause.code) {
    case "disk_full":
      return full();
    case "memory_full":
      return temporaryFull();
    case "busy":
      return new HttpError(
        503,
        "database",
        "The database is locked or has too much to do; try again in a few seconds.",
        undefined,
        2,
      );
    case "read_only":
    case "io":
      return new HttpError(
        503,
        "database",
        "The database cannot be read or written; the log of the server says why.",
        undefined,
        10,
      );
    case "corrupt":
    case "broken_row":
      return new HttpError(
        500,
        "damaged",
        "What is stored here is damaged and cannot be read; the log of the server names it. Restore DATA_DIR from a backup, or delete the conversation that it belongs to.",
      );
    case "data_dir":
    case "newer_version":
    case "duplicate":
    case "not_found":
    case "conflict":
    case "invalid":
    case "too_many":
      return undefined;
  }
}

export const temporaryFull = () =>
  new HttpError(
    507,
    "temporary_full",
    "All temporary chats may take 20 MB of memory together, and nothing was added: what is there stays usable. Delete a temporary chat, or go on in a chat that is kept.",
  );

const full = () =>
  new HttpError(507, "disk_full", "The disk is full, so nothing was stored: free some space and try again.");

/** Of files beside the database. */
const isFull = (cause: unknown): boolean =>
  cause instanceof Error && "code" in cause && (cause.code === "ENOSPC" || cause.code === "EDQUOT");
