import { DatabaseSync, type StatementSync } from "node:sqlite";
import { type SqliteDatabase, SqliteDialect, type SqliteStatement } from "kysely";
import { beforeDatabaseWrite } from "@/lib/faults/fault-points";
import { toParameter } from "./parameter";
import { runAndLetGo } from "./run-and-let-go";
import { toStoreError } from "./sqlite-fault";

/** Statements kept prepared; inserts of many rows have a text of their own for each number of rows. */
const maxStatements = 256;
/** For outside programs that look into the file; waiting blocks the event loop. */
const busyTimeoutMs = 1000;

/**
 * Closes the file while `between` puts another one in its place, and opens what is there then, also when `between` throws.
 * To be called while no statement is open.
 */
export type Reopen = (between: () => void) => void;

interface FileOptions {
  /** Also each time when it is opened again. */
  onOpen?: (db: DatabaseSync, reopen: Reopen) => void;
  /** Told of each statement before it runs, `begin` and `commit` too. */
  onStatement?: ((sql: string) => void) | undefined;
}

/** A journal that has grown beyond it, by one large transaction, is cut back; SQLite writes back at about this size. */
const maxJournalBytes = 4 * 1024 * 1024;

/** Kysely on `node:sqlite`: WAL, pages that can be given back, statements prepared once, one transaction writing at a time. */
export function sqliteDialect(
  path: string,
  synchronous: "full" | "normal",
  options: FileOptions = {},
): SqliteDialect {
  return new SqliteDialect({ database: async () => open(path, synchronous, options) });
}

function open(
  path: string,
  synchronous: "full" | "normal",
  { onOpen, onStatement }: FileOptions,
): SqliteDatabase {
  const translate = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw toStoreError(cause, path);
    }
  };
  return translate(() => {
    let db = connect(path, synchronous);
    const prepared = new Map<string, SqliteStatement>();
    const reopen: Reopen = (between) =>
      translate(() => {
        prepared.clear();
        db.close();
        try {
          between();
        } finally {
          db = connect(path, synchronous);
          onOpen?.(db, reopen);
        }
      });
    onOpen?.(db, reopen);
    /** Of several statements that are committed together only the commit counts. */
    const workOf = (sql: string): typeof translate =>
      beforeDatabaseWrite && isWrite.test(sql)
        ? (work) =>
            translate(() => {
              if (sql === "commit" || !db.isTransaction) beforeDatabaseWrite?.();
              return work();
            })
        : translate;
    return {
      close: () => db.close(),
      prepare: (sql) => {
        // A full disk has ended the transaction already; that there is none would hide why.
        if (sql === "rollback" && !db.isTransaction) return nothing;
        onStatement?.(sql);
        const known = prepared.get(sql);
        if (known) prepared.delete(sql);
        else if (prepared.size >= maxStatements) prepared.delete(prepared.keys().next().value ?? "");
        const statement = known ?? translate(() => adapt(db.prepare(planOnce(lockAtOnce(sql))), workOf(sql)));
        prepared.set(sql, statement);
        return statement;
      },
    };
  });
}

function connect(path: string, synchronous: "full" | "normal"): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    db.exec(
      `pragma auto_vacuum = incremental; pragma journal_mode = wal; pragma journal_size_limit = ${maxJournalBytes};
      pragma synchronous = ${synchronous};`,
    );
    return db;
  } catch (cause) {
    db.close();
    throw cause;
  }
}

/** A transaction that takes the lock only at its first write can fail then; `immediate` waits at the start. */
const lockAtOnce = (sql: string): string => (sql === "begin" ? "begin immediate" : sql);

/** SQLite looks at the number where one stands alone, and plans a statement again each time when it gets one. */
const planOnce = (sql: string): string => sql.replace(/\b(limit|offset) \?/g, "$1 +?");

const isWrite = /^(insert|update|delete|commit)/i;

const nothing: SqliteStatement = {
  reader: true,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
};

function adapt(statement: StatementSync, translate: <T>(work: () => T) => T): SqliteStatement {
  return {
    reader: statement.columns().length > 0,
    all: (parameters) => translate(() => statement.all(...parameters.map(toParameter))),
    run: (parameters) => translate(() => runAndLetGo(statement, parameters.map(toParameter))),
    iterate: (parameters) => translate(() => statement.iterate(...parameters.map(toParameter))),
  };
}
