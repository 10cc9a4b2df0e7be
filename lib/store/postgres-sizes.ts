import { type Kysely, sql } from "kysely";
import type { TableSizes } from "./engine";
import type { DB } from "./schema";

/** Of a row beside its columns: its header, and its place in a page. */
const rowBytes = 28;

/**
 * What the rows that there are take on the disk, without indexes. Deleted ones leave room inside of the files of a table, which
 * PostgreSQL keeps for new ones and tells nobody: by the size of files a retention would delete more each time it looks.
 * The bytes of attached files are counted by `Blobs`.
 */
export async function readSizes(db: Kysely<DB>): Promise<TableSizes> {
  const { rows: tables } = await sql<{ name: string; columns: string[] | null; fixed: number }>`
    select c.relname as name, array_agg(a.attname::text) filter (where a.attlen < 0) as columns,
      coalesce(sum(a.attlen) filter (where a.attlen > 0), 0) as fixed
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and c.relname <> 'attachment_blob'
    group by c.relname`.execute(db);
  const sizes: Record<string, number> = {};
  // One after the other: it is asked for now and then, and takes few pages of others out of memory.
  for (const { name, columns, fixed } of tables) {
    const sum = sql.join(
      (columns ?? []).map((column) => sql`coalesce(sum(pg_column_size(${sql.ref(column)})), 0)`),
      sql` + `,
    );
    const { rows } = await sql<{ bytes: number }>`
      select count(*) * ${sql.lit(rowBytes + fixed)} + ${columns ? sum : sql`0`} as bytes from ${sql.table(name)}`.execute(
      db,
    );
    sizes[name] = rows[0]?.bytes ?? 0;
  }
  return { tables: sizes, unused: 0 };
}
