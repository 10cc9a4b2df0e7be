import type { ClientBase } from "pg";
import type { WireBody } from "./engine";
import type { EventRange } from "./event-range";
import type { StoredRange } from "./packing/packed-range";
import { plainText } from "./parameter";

/** The statements of the log, each for a session in which nothing else is under way. */
export interface LogRow extends EventRange {
  run: number;
}

/** The keys of these runs and their last numbers, 0 without a log. A run that has no key gets one. */
export async function findRuns(
  client: ClientBase,
  runIds: readonly string[],
): Promise<{ runId: string; run: number; last: number }[]> {
  const { rows } = await client.query(
    `with added as (
      insert into run_key (run_id) select unnest($1::text[]) on conflict do nothing returning run, run_id
    )
    select run, run_id as "runId", 0 as last from added
    union all
    select run, run_id, coalesce((
      select last from event_range r where r.run = k.run order by first desc limit 1
    ), 0) from run_key k where run_id = any($1)`,
    [runIds],
  );
  return rows;
}

export async function insertRows(client: ClientBase, rows: readonly LogRow[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query(
    `insert into event_range (run, first, last, at, data)
    select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[])`,
    [
      rows.map(({ run }) => run),
      rows.map(({ first }) => first),
      rows.map(({ last }) => last),
      rows.map(({ at }) => at),
      rows.map(({ data }) => data),
    ],
  );
}

export async function addContents(
  client: ClientBase,
  run: number,
  contents: ReadonlyMap<string, string>,
): Promise<void> {
  const hashes = [...contents.keys()];
  await client.query(
    `insert into request_content (hash, body) select * from unnest($1::text[], $2::text[])
    on conflict do nothing`,
    [hashes, [...contents.values()].map(plainText)],
  );
  await client.query(
    "insert into run_content (run, hash) select $1, unnest($2::text[]) on conflict do nothing",
    [run, hashes],
  );
}

/** Of a run that has no log (any more) it is not kept. */
export async function addWire(client: ClientBase, runId: string, { name, body }: WireBody): Promise<void> {
  await client.query(
    `insert into wire_record (run, name, body) select run, $2, $3 from run_key where run_id = $1
    on conflict (run, name) do update set body = excluded.body`,
    [runId, name, body],
  );
}

export async function deleteAfter(client: ClientBase, run: number, last: number): Promise<void> {
  await client.query("delete from event_range where run = $1 and first > $2", [run, last]);
}

export async function deleteLogs(client: ClientBase, runIds: readonly string[]): Promise<void> {
  const { rows } = await client.query("select run from run_key where run_id = any($1)", [runIds]);
  const runs = rows.map(({ run }) => run);
  // Each by itself: a statement has 10 s.
  for (const run of runs) await client.query("delete from event_range where run = $1", [run]);
  await client.query(
    `with forgotten as (delete from run_content where run = any($1) returning hash)
    delete from request_content c where hash in (select hash from forgotten)
      and not exists (select 1 from run_content r where r.hash = c.hash and r.run <> all($1))`,
    [runs],
  );
  await client.query("delete from wire_record where run = any($1)", [runs]);
  await client.query("delete from run_key where run = any($1)", [runs]);
}

/** Nothing is changed when the rows are gone: another instance may pack the same log. */
export async function replaceRows(
  client: ClientBase,
  runId: string,
  { first, last, at, data, packed }: StoredRange,
  count: number,
): Promise<void> {
  await client.query("select from run_key where run_id = $1 for no key update", [runId]);
  const { rows } = await client.query(
    `select k.run, count(r.first) as rows from run_key k
    left join event_range r on r.run = k.run and r.first between $2 and $3 and packed is null
    where k.run_id = $1 group by k.run`,
    [runId, first, last],
  );
  const [found] = rows;
  if (found?.rows !== count) return;
  await client.query("delete from event_range where run = $1 and first between $2 and $3", [
    found.run,
    first,
    last,
  ]);
  await client.query(
    "insert into event_range (run, first, last, at, data, packed) values ($1, $2, $3, $4, $5, $6)",
    [found.run, first, last, at, data, packed],
  );
}
