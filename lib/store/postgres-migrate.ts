import { setTimeout as sleep } from "node:timers/promises";
import { type Kysely, sql } from "kysely";
import { migrate } from "@/lib/store/migrations/migrate";
import type { Migration } from "@/lib/store/migrations/migrations";
import { StoreError } from "./errors";
import { beatMs, endMs, hasNoSession, isOver, leaseMs, membersLock } from "./postgres-instances";
import type { DB } from "./schema";

/** How messages call it. */
export const databaseName = "The database of DATABASE_URL";
const olderMs = leaseMs + beatMs;
const retryMs = 100;
/** As long as others, or a backup, have a table; in between they go on. */
const busyMs = 30_000;
const pauseMs = 1_000;

/** An instance is there that could not go on with the tables as they are to be. */
class OlderInstanceError extends StoreError {
  constructor(holder: string) {
    super(
      "busy",
      `This version changes the database so that older ones cannot go on with it, and ${holder} is one that runs. Stop all instances of older versions, then start this one; nothing was changed.`,
    );
  }
}

/**
 * Brings the database to this version beside instances of others: they go on where the new tables let them, and are waited for
 * where they do not, a little longer than one that was killed can be there. Throws StoreError.
 */
export async function migrateBeside(
  db: Kysely<DB>,
  id: string,
  isExact?: boolean,
  known?: readonly Migration[],
): Promise<void> {
  const before = (trx: Kysely<DB>, needed: number) => holdOlder(trx, needed);
  const begunAt = performance.now();
  for (;;) {
    try {
      return await migrate(db, ["records", "log"], databaseName, {
        ...{ dialect: "postgres", isExact, before },
        ...(known && { known }),
      });
    } catch (cause) {
      const isOlder = cause instanceof OlderInstanceError;
      if (!isBusy(cause) || performance.now() - begunAt > (isOlder ? olderMs : busyMs)) throw cause;
      if (isOlder) await deleteGoneAtOnce(db, id);
      await sleep(isOlder ? retryMs : pauseMs);
    }
  }
}

const isBusy = (cause: unknown): boolean => cause instanceof StoreError && cause.code === "busy";

const deleteGoneAtOnce = (db: Kysely<DB>, id: string) =>
  sql`delete from instance where id <> ${id} and (${sql.raw(isOver)} or ${sql.raw(hasNoSession)})`.execute(
    db,
  );

/**
 * From now on until the transaction ends nobody joins, and of the versions before `needed` nobody is there: no row, and then
 * no session, which one that was paused would go on with.
 */
async function holdOlder(trx: Kysely<DB>, needed: number): Promise<void> {
  await sql`select pg_advisory_xact_lock(${sql.lit(membersLock)})`.execute(trx);
  const { rows } = await sql<{ id: string }>`
    select id from instance where coalesce(version, 0) < ${needed} limit 1`.execute(trx);
  if (rows[0]) throw new OlderInstanceError(rows[0].id);
  await sql`
    select pg_terminate_backend(a.pid, ${sql.lit(endMs)}) from pg_stat_activity a
    where a.datname = current_database() and a.application_name like 'meguri %'
    and not exists (select from instance i where i.id = a.application_name)`.execute(trx);
}
