import { type Kysely, sql } from "kysely";
import { decodeRange, type EventRange } from "./event-range";
import type { DB } from "./schema";
import type { LogEvent, Tail, TailPlace } from "./types";

/** Rows of one run that are read at once; a log that has grown by more is read by itself. */
const maxRows = 32;
/** Characters of one row; a longer one is read by itself. */
const maxLength = 16_384;

type TailRow = Omit<EventRange, "data"> & { place: number; data: string | null };

/** `RunLog.tails`: many readers wait for few rows each, which one statement has for all of them. */
export async function readTails(db: Kysely<DB>, places: readonly TailPlace[]): Promise<Tail[]> {
  const asked = places.map(({ runId, afterSeq }, place) => ({ place, run_id: runId, after_seq: afterSeq }));
  const { rows } = await sql<TailRow>`
    select p.place, e.first, e.last, e.at,
      case when e.packed is null and length(e.data) <= ${sql.lit(maxLength)} then e.data end as data
    from json_to_recordset(${JSON.stringify(asked)}::json) p (place int, run_id text, after_seq bigint)
    join run_key k on k.run_id = p.run_id
    cross join lateral (
      select first, last, at, data, packed from event_range
      where run = k.run and first >= coalesce((
        select first from event_range where run = k.run and first <= p.after_seq + 1 order by first desc limit 1
      ), 0)
      order by first limit ${sql.lit(maxRows + 1)}
    ) e
    where e.last > p.after_seq
    order by p.place, e.first`.execute(db);
  const byPlace = Map.groupBy(rows, ({ place }) => place);
  return places.map((place, index) => toTail(place, byPlace.get(index) ?? []));
}

/** A row that is too large or cannot be read is left to who reads this log alone. */
function toTail({ runId, afterSeq }: TailPlace, rows: readonly TailRow[]): Tail {
  const events: LogEvent[] = [];
  for (const { data, ...range } of rows.slice(0, maxRows))
    try {
      if (data === null) return { events, isWhole: false };
      for (const event of decodeRange(runId, { ...range, data }))
        if (event.seq > afterSeq) events.push(event);
    } catch {
      return { events, isWhole: false };
    }
  return { events, isWhole: rows.length <= maxRows };
}
