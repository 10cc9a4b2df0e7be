import { CompiledQuery, type Kysely, sql } from "kysely";
import { openDocuments } from "@/lib/store/documents";
import { StoreError } from "@/lib/store/errors";
import type { Documents } from "@/lib/store/kept-ports";
import { Progress } from "@/lib/store/rebuild/progress";
import type { DB } from "@/lib/store/schema";
import { copyTable, notTheSame } from "./copy-table";
import { indexMoved } from "./index-moved";
import { movedTables } from "./moved-tables";
import { digestOf, RowDigest } from "./row-digest";
import type { SourceFolder } from "./source-folder";
import { inEmptyDatabase } from "./target-database";
import { dropOwnReferences, setIdentities } from "./target-schema";

/** Where what lies beside the embedded database goes, in the same transaction. */
export interface MovePlace {
  documents: Documents;
  /** Adds a part of an attached file; they come in their order, from 0. */
  addPart(name: string, part: number, bytes: Uint8Array): Promise<void>;
}

interface Move {
  folder: SourceFolder;
  url: string;
  beside(place: MovePlace): Promise<void>;
  /** Is given a line each few seconds. */
  tell(line: string): void;
}

/**
 * Brings the records and logs of a folder, and what `beside` adds, into an empty PostgreSQL database, all or nothing: it is
 * committed when every table there has the same rows as here. Gives the number of rows by table. Throws StoreError and
 * DatabaseInUseError.
 */
export async function moveData({ folder, url, beside, tell }: Move): Promise<Map<string, number>> {
  if (!folder.isSettled)
    throw new StoreError(
      "busy",
      "The folder was not closed in order; start Meguri on it, stop it, and try again.",
    );
  const progress = new Progress("Moving", tell);
  return inEmptyDatabase(url, async (trx) => {
    const counts = new Map<string, number>();
    const putBack = await dropOwnReferences(trx);
    for (const table of movedTables) {
      const onRows = (rows: number) => progress.at(() => `${rows} rows of ${table}`);
      counts.set(table, await copyTable(trx, folder, table, onRows));
    }
    await putBack();
    await setIdentities(trx);
    await indexMoved(trx, folder, (messages) =>
      progress.at(() => `${messages} messages indexed for the search`),
    );
    await addBeside(trx, beside, (name) => progress.at(() => `attached file ${name}`));
    // Else the first queries are planned for empty tables.
    await sql`analyze`.execute(trx);
    progress.end();
    return counts;
  });
}

const blobs = "attachment_blob";

async function addBeside(
  trx: Kysely<DB>,
  beside: Move["beside"],
  onPart: (name: string) => void,
): Promise<void> {
  const columns = [
    { name: "name", kind: "text" },
    { name: "part", kind: "integer" },
    { name: "bytes", kind: "bytes" },
  ] as const;
  const digest = new RowDigest(columns);
  await beside({
    documents: openDocuments(trx),
    async addPart(...row) {
      const text = `insert into ${blobs} (name, part, bytes) values ($1, $2, $3)`;
      await trx.executeQuery(CompiledQuery.raw(text, row));
      digest.add(row);
      onPart(row[0]);
    },
  });
  if ((await digestOf(trx, blobs, columns)) !== digest.toString()) throw notTheSame("An attached file");
}
