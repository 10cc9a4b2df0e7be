import { type Kysely, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";
import { type Area, type Migration, migrations } from "./migrations";
import { newerVersion, openSchema, type SchemaState } from "./schema-version";

interface MigrateOptions {
  dialect?: Dialect;
  /** Refuses tables of a newer version even where this one can go on with them. */
  isExact?: boolean | undefined;
  /**
   * Is called in the transaction before anything is changed of tables that others may have open; `needed`: the oldest version
   * whose programs can go on with what comes of it.
   */
  before?: (trx: Kysely<DB>, needed: number) => Promise<void>;
  /** Is told how far it is, for one that takes long. */
  tell?: (state: () => string) => void;
  /** Those that the program knows. */
  known?: readonly Migration[];
}

/**
 * Brings a database to the newest version, all or nothing; one of a newer version stays as it is where this one can go on
 * with it. `name` is how messages call it. A `newer_version` StoreError where it cannot.
 */
export async function migrate(
  db: Kysely<DB>,
  areas: readonly Area[],
  name: string,
  { dialect = "sqlite", isExact = false, before, tell = () => {}, known = migrations }: MigrateOptions = {},
): Promise<void> {
  const mine = known.filter(({ area }) => areas.includes(area));
  await db.transaction().execute(async (trx) => {
    if (dialect === "postgres") await lockSchema(trx);
    const found = await openSchema(trx, dialect);
    checkVersion(name, found, { areas, dialect, isExact, known });
    const missing = mine.filter(({ version }) => version > found.version);
    const needed = Math.max(0, ...missing.map(({ compatibleFrom }) => compatibleFrom));
    if (found.version > 0 && missing.length > 0) await before?.(trx, needed);
    for (const { version, compatibleFrom, up } of missing) {
      await up(trx, tell, dialect);
      await trx.insertInto("schema_version").values({ version, compatible_from: compatibleFrom }).execute();
    }
  });
}

/** Throws `newer_version` where a program that knows these migrations cannot go on with what it finds. */
export function checkVersion(
  name: string,
  found: SchemaState,
  {
    areas,
    dialect = "sqlite",
    isExact = false,
    known = migrations,
  }: Pick<MigrateOptions, "dialect" | "isExact" | "known"> & { areas: readonly Area[] },
): void {
  if (found.version <= newestOf(known, areas)) return;
  const needed = isExact ? found.version : found.compatibleFrom;
  // Of one file its newest migration says nothing about the other one's.
  const program = newestOf(known);
  if (needed > program) throw newerVersion(name, { found: found.version, needed, known: program, dialect });
}

/** Any number; the same in each version of Meguri. */
const schemaLock = 7_236_835;

/**
 * Of two processes that migrate one database the second finds it done. A migration may take its time, but not wait for a table:
 * all others would wait behind it, also where nothing but a backup has that table.
 */
async function lockSchema(trx: Kysely<DB>): Promise<void> {
  await sql`set local lock_timeout = 0; set local statement_timeout = 0`.execute(trx);
  await sql`select pg_advisory_xact_lock(${sql.lit(schemaLock)})`.execute(trx);
  await sql`set local lock_timeout = '1s'`.execute(trx);
}

/** The newest version of these areas, or of all: that of the program. */
export const newestVersion = (areas?: readonly Area[]): number => newestOf(migrations, areas);

const newestOf = (known: readonly Migration[], areas?: readonly Area[]): number =>
  Math.max(...known.flatMap(({ area, version }) => (!areas || areas.includes(area) ? version : [])));
