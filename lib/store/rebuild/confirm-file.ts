import { existsSync } from "node:fs";
import { type Kysely, sql } from "kysely";
import type { DB } from "@/lib/store/schema";
import { dropPrevious, previous } from "./replace-file";

/**
 * Says that a start has opened this file well. The copy of what it has replaced goes at the second time; until then the
 * header of the file keeps the first.
 */
export async function confirmFile(path: string, db: Kysely<DB>): Promise<void> {
  if (!existsSync(previous(path))) return;
  const { rows } = await sql<{ user_version: number }>`pragma user_version`.execute(db);
  if (rows[0]?.user_version) dropPrevious(path);
  else await sql`pragma user_version = 1`.execute(db);
}
