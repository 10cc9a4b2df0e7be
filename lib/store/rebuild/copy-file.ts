import { Kysely, sql } from "kysely";
import { StoreError } from "@/lib/store/errors";
import { migrate } from "@/lib/store/migrations/migrate";
import type { Area } from "@/lib/store/migrations/migrations";
import type { DB } from "@/lib/store/schema";
import { sqliteDialect } from "@/lib/store/sqlite-dialect";
import { compareTables } from "./compare-tables";
import { copyLog, rowPerEvent } from "./copy-log";
import type { Progress } from "./progress";
import { vacuumInto } from "./vacuum-into";

export interface Copying {
  from: string;
  /** Empty and not open. */
  to: string;
  area: Area;
  /** Of the old file. */
  version: number;
  progress: Progress;
}

/** Makes the new file, and sees that it holds what the old one does. */
export async function copyFile({ from, to, area, version, progress }: Copying): Promise<void> {
  if (area === "log" && version === rowPerEvent) await copyLog({ from, to }, progress);
  else await copyTables({ from, to }, progress);
  const db = new Kysely<DB>({ dialect: sqliteDialect(to, "normal") });
  try {
    await migrate(db, [area], to, { tell: (state) => progress.at(state) });
    await checkFile(db, to);
    progress.at(() => "checked");
  } finally {
    await db.destroy();
  }
}

/** A copy row by row, with pages that can be given back. */
async function copyTables({ from, to }: Pick<Copying, "from" | "to">, progress: Progress): Promise<void> {
  await vacuumInto(from, to, (bytes) => progress.at(() => `${megabytes(bytes)} MB copied`));
  compareTables(from, to, (rows) => progress.at(() => `${rows} rows compared`));
}

/** Nobody has opened it yet, see `confirmFile`. */
async function checkFile(db: Kysely<DB>, path: string): Promise<void> {
  const { rows } = await sql<{ quick_check: string }>`pragma quick_check(1)`.execute(db);
  const [first] = rows;
  if (first?.quick_check !== "ok")
    throw new StoreError(
      "io",
      `${path} is not whole (${first?.quick_check}); check the disk and start again. Nothing was changed.`,
    );
  await sql`pragma user_version = 0`.execute(db);
}

const megabytes = (bytes: number) => Math.round(bytes / 1_000_000);
