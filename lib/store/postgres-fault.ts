import { DatabaseInUseError, StoreError, type StoreErrorCode } from "./errors";

/** The role lacks a right, as the one to create tables in the schema "public". */
const denied = "42501";

/** By SQLSTATE. */
const codes: Record<string, StoreErrorCode> = {
  "23503": "not_found",
  "23505": "duplicate",
  // The session was ended as it held a transaction and asked for nothing.
  "25P03": "busy",
  "25006": "read_only",
  "40001": "busy",
  "40P01": "busy",
  [denied]: "io",
  "53100": "disk_full",
  "53300": "busy",
  "55P03": "busy",
  "57014": "busy",
  XX001: "corrupt",
  XX002: "corrupt",
};

/** By the class of the SQLSTATE, its first two characters. */
const classes: Record<string, StoreErrorCode> = {
  "08": "io",
  "22": "invalid",
  "23": "invalid",
  "28": "io",
  "3D": "io",
  "53": "io",
  "54": "invalid",
  "57": "io",
  "58": "io",
};

/** What `pg` says without a code. */
const gone =
  /^(Connection terminated|Client (has encountered|was closed)|timeout (exceeded|expired)|Query read timeout)/;

/** What PostgreSQL or the way to it says, as a StoreError; anything else comes back as it is. */
export function toStoreError(cause: unknown): unknown {
  if (!(cause instanceof Error) || cause instanceof StoreError) return cause;
  const state = sqlState(cause);
  const code =
    state === undefined
      ? isConnectionGone(cause)
        ? "io"
        : undefined
      : (codes[state] ?? classes[state.slice(0, 2)]);
  if (!code) return cause;
  const said =
    state === denied
      ? `The role of DATABASE_URL lacks a right (${cause.message}); let it create tables in its schema.`
      : sentence(code, reasonOf(cause));
  return new StoreError(code, said, { cause });
}

/** Whatever kept a session from being opened: the address, a password, a certificate. */
export const toConnectError = (cause: unknown): unknown => {
  const known = toStoreError(cause);
  return known !== cause ||
    !(cause instanceof Error) ||
    cause instanceof StoreError ||
    cause instanceof DatabaseInUseError
    ? known
    : new StoreError("io", sentence("io", reasonOf(cause)), { cause });
};

const reasonOf = (cause: Error): string =>
  cause.message || (cause instanceof AggregateError ? String(cause.errors[0]?.message) : cause.name);

/** Whether the connection is gone, so that nobody knows what became of a statement under way. */
export function isConnectionGone(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false;
  // Of a name with several addresses, such as localhost.
  if (cause instanceof AggregateError) return cause.errors.some(isConnectionGone);
  const state = sqlState(cause);
  if (state !== undefined) return /^(08|57P|25P03)/.test(state);
  return "syscall" in cause || gone.test(cause.message);
}

/** Those of Node are longer, and begin with E. */
const sqlState = (cause: Error): string | undefined =>
  "code" in cause &&
  typeof cause.code === "string" &&
  /^[0-9A-Z]{5}$/.test(cause.code) &&
  !("syscall" in cause)
    ? cause.code
    : undefined;

function sentence(code: StoreErrorCode, reason: string): string {
  switch (code) {
    case "corrupt":
      return `The database is damaged (${reason}); restore it from a backup.`;
    case "disk_full":
      return `The database cannot grow (${reason}); free some space on its disk.`;
    case "read_only":
      return `The database cannot be written (${reason}); set DATABASE_URL to one that can.`;
    case "busy":
      return `The database was busy for too long (${reason}); try again.`;
    case "not_found":
      return `A row that this one refers to is not there (${reason}).`;
    case "io":
    case "data_dir":
    case "newer_version":
    case "memory_full":
      return `The database cannot be used (${reason}); check that PostgreSQL runs, and DATABASE_URL.`;
    case "duplicate":
    case "conflict":
    case "invalid":
    case "too_many":
    case "broken_row":
      return `It is not stored: ${reason}.`;
  }
}
