import type { DatabaseSync } from "node:sqlite";
import { type Kysely, sql } from "kysely";
import type { Engine } from "./engine";
import { JournalSync } from "./journal-sync";
import type { DB } from "./schema";

interface RecordsFile {
  path: string;
  db: Kysely<DB>;
  /** Another one once it was opened again. */
  readonly file: DatabaseSync;
}

interface EarlyCommit {
  commitEarly: NonNullable<Engine["commitEarly"]>;
  /** Before the file is another one, or is closed. */
  close(): Promise<void>;
}

/**
 * `Engine.commitEarly` for a file whose commits wait for the disk otherwise. Undefined where it was not measured, and on macOS, where
 * Node.js waits until the disk has emptied its own memory, which takes many times as long as what SQLite does there.
 */
export function openEarlyCommit(records: RecordsFile): EarlyCommit | undefined {
  if (process.platform !== "linux") return undefined;
  const journal = new JournalSync(`${records.path}-wal`);
  return {
    commitEarly: (work) =>
      records.db.connection().execute(async (connection) => {
        const { file } = records;
        file.exec("pragma synchronous = normal");
        try {
          await connection.transaction().execute(work);
        } finally {
          file.exec("pragma synchronous = full");
        }
        return { durable: journal.sync().catch((cause) => writeBack(records.db, cause)) };
      }),
    close: () => journal.close(),
  };
}

/**
 * Of what the disk has refused once a later wait knows nothing, and in a journal with a gap nothing counts that comes after it: the whole
 * journal is copied into the database, and begins anew. Throws the cause where that does not go either.
 */
async function writeBack(db: Kysely<DB>, cause: unknown): Promise<void> {
  const { rows } = await sql<{ busy: number }>`pragma wal_checkpoint(truncate)`
    .execute(db)
    .catch(() => ({ rows: [] }));
  if (rows[0]?.busy !== 0) throw cause;
}
