import { type Kysely, sql } from "kysely";
import type { Client } from "pg";
import { StoreError } from "./errors";
import { toStoreError } from "./postgres-fault";
import { openSession } from "./postgres-session";
import type { DB } from "./schema";

/** After so long without a word from an instance the others take its runs over. In ms, by the server's clock. */
export const leaseMs = 5_000;
export const beatMs = 1_000;
/** For a session to end; one that takes longer is looked for again. */
export const endMs = 2_000;
/** Who has missed two beats and has no session left is gone, and not only slow … */
const silentMs = leaseMs - 2 * beatMs;
/** … unless the server itself has just begun: then nobody has a session yet. */
const serverUpMs = 10_000;

/** Any number; the same in each version of Meguri. */
export const membersLock = 7_236_836;

/** Of an instance: its sessions would be seen by their name. */
export const hasNoSession = `(pg_postmaster_start_time() < clock_timestamp() - interval '${serverUpMs} ms'
  and not exists (
    select from pg_stat_activity a where a.datname = current_database() and a.application_name = instance.id
  ))`;
export const isOver = "lease_until < clock_timestamp()";
/** Its lease will be over, since nothing can prolong it. */
const isGone = `(${isOver} or lease_until < clock_timestamp() + interval '${silentMs} ms' and ${hasNoSession})`;

/** Those that are gone. */
export async function deleteGone(db: Kysely<DB>, id: string): Promise<void> {
  await sql`delete from instance where id <> ${id} and ${sql.raw(isGone)}`.execute(db);
}

/**
 * Gives those of these instances that have no row, and no session that could write any more: one that is opened later finds
 * that they have no row. `id` is never one of them.
 */
export async function endSessions(db: Kysely<DB>, id: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string; pid: number | null; isEnded: boolean | null }>`
    select o.id, a.pid, pg_terminate_backend(a.pid, ${sql.lit(endMs)}) as "isEnded"
    from json_array_elements_text(${JSON.stringify(ids)}::json) o (id)
    left join pg_stat_activity a on a.datname = current_database() and a.application_name = o.id
    where o.id <> ${id} and not exists (select from instance i where i.id = o.id)`.execute(db);
  // Where another instance was first there was nothing to end.
  const unsure = rows.flatMap(({ pid, isEnded }) => (pid !== null && !isEnded ? pid : []));
  const left = await sql<{ id: string }>`select application_name as id from pg_stat_activity
    where pid in (select value::int from json_array_elements_text(${JSON.stringify(unsure)}::json))`.execute(
    db,
  );
  const living = new Set(left.rows.map((row) => row.id));
  return [...new Set(rows.map((row) => row.id))].filter((one) => !living.has(one));
}

/**
 * Does what nobody may write beside: the others lose what they are doing, as if they were gone, and join again when it is
 * done. Throws StoreError `busy` where one of them cannot be kept from writing, and `io` where the line to the server breaks.
 */
export async function runAlone(
  url: string,
  id: string,
  db: Kysely<DB>,
  work: () => Promise<void>,
): Promise<void> {
  let isBroken = false;
  const onGone = () => {
    isBroken = true;
  };
  const client = await openSession(url, { onGone, id });
  try {
    // As long as this session is there nobody joins.
    await client.query(`select pg_advisory_lock(${membersLock})`);
    const gone = await client.query<{ id: string }>("delete from instance where id <> $1 returning id", [id]);
    const ids = gone.rows.map((row) => row.id);
    const ended = await endSessions(db, id, ids);
    if (ended.length < ids.length)
      throw new StoreError(
        "busy",
        "Another instance could not be kept from writing; try again in a few seconds.",
      );
    await work();
    if (isBroken) throw new StoreError("io", "The line to the database broke; try again in a few seconds.");
  } catch (cause) {
    throw toStoreError(cause);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Deletes those that are gone, as soon as their sessions are; gives one that is not. */
export async function findOther(client: Client, id: string): Promise<string | undefined> {
  await client.query(`delete from instance where id <> $1 and (${isOver} or ${hasNoSession})`, [id]);
  const { rows } = await client.query("select id from instance limit 1");
  return rows[0]?.id;
}

/** No migration: it must be there before those begin. */
export async function createTable(client: Client): Promise<void> {
  await client.query(
    `begin; select pg_advisory_xact_lock(${membersLock});
    create table if not exists instance (
      id text collate "C" primary key, lease_until timestamptz not null,
      started_at timestamptz not null default clock_timestamp()
    )`,
  );
  // The newest migration that it knows; null for one from before it was kept. Without a lock where it is there already.
  const { rowCount } = await client.query(
    "select from pg_attribute where attrelid = 'instance'::regclass and attname = 'version'",
  );
  await client.query(rowCount === 0 ? "alter table instance add column version integer; commit" : "commit");
}
