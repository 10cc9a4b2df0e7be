import type { CompiledQuery, Kysely } from "kysely";
import type { DB } from "./schema";

export type EventRecord = DB["run_event"];

/** Events of one statement; more of them take several in one transaction. */
const batchSize = 100;

/** A record for compiling; its keys are the columns in the order of the parameters. */
const sample: EventRecord = { run_id: "", seq: 1, at: 0, data: "" };
const columns = Object.keys(sample) as (keyof EventRecord)[];

/**
 * Inserts events in one commit, all or none. Kysely takes longer to compile such a statement than the database to run
 * it, and its text depends on the number of rows alone: each is compiled once for all databases of this engine.
 */
export function prepareInserts(engine: Kysely<DB>) {
  const compiled = new Map<number, CompiledQuery>();
  const insertBatch = async (db: Kysely<DB>, records: readonly EventRecord[]): Promise<void> => {
    const { length } = records;
    const query = compiled.get(length) ?? compileInsert(engine, length);
    compiled.set(length, query);
    const parameters = records.flatMap((record) => columns.map((column) => record[column]));
    await db.executeQuery({ ...query, parameters });
  };
  return async (db: Kysely<DB>, records: readonly EventRecord[]): Promise<void> => {
    if (records.length <= batchSize) await insertBatch(db, records);
    else
      await db.transaction().execute(async (trx) => {
        for (let at = 0; at < records.length; at += batchSize)
          await insertBatch(trx, records.slice(at, at + batchSize));
      });
  };
}

const compileInsert = (engine: Kysely<DB>, rows: number): CompiledQuery =>
  engine
    .insertInto("run_event")
    .values(Array.from({ length: rows }, () => sample))
    .compile();
