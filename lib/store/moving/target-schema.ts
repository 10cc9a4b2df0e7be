import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";

/**
 * Takes away that rows refer to rows of their own table, which may come later, until the function that it gives is called: every
 * row is checked then.
 */
export async function dropOwnReferences(trx: Kysely<DB>): Promise<() => Promise<void>> {
  const { rows } = await sql<{ table: string; name: string; definition: string }>`
    select relname as table, conname as name, pg_get_constraintdef(f.oid) as definition
    from pg_constraint f join pg_class t on t.oid = f.conrelid
    where contype = 'f' and confrelid = conrelid and relnamespace = current_schema()::regnamespace`.execute(
    trx,
  );
  for (const { table, name } of rows)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(trx);
  return async () => {
    for (const { table, name, definition } of rows)
      await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(
        trx,
      );
  };
}

/** Numbers that PostgreSQL gives by itself go on after those that were copied. */
export async function setIdentities(trx: Kysely<DB>): Promise<void> {
  const { rows } = await sql<{ table: string; column: string }>`
    select relname as table, attname as column from pg_attribute join pg_class t on t.oid = attrelid
    where attidentity <> '' and relkind = 'r' and relnamespace = current_schema()::regnamespace`.execute(trx);
  for (const { table, column } of rows)
    await sql`
      select setval(pg_get_serial_sequence(quote_ident(${table}), ${column}), max(${sql.ref(column)}))
      from ${sql.table(table)} having max(${sql.ref(column)}) is not null`.execute(trx);
}
