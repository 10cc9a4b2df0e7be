import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { askAndStay } from "@/lib/store/testing/postgres-server";
import type { placeOf } from "@/lib/store/testing/temp-store";

/** Keeps the application, or who has this place, from writing its records, as an outside program can; returns what lets it again. */
export async function lockStored(
  { dataDir, databaseUrl } = {
    dataDir: process.env.DATA_DIR ?? "",
    databaseUrl: process.env.DATABASE_URL,
  } as Awaited<ReturnType<typeof placeOf>>,
): Promise<() => Promise<void>> {
  if (databaseUrl)
    return askAndStay(databaseUrl, "begin; lock table conversation, run, message, setting in exclusive mode");
  const db = new DatabaseSync(join(dataDir, "meguri.db"));
  db.exec("begin immediate");
  return async () => db.close();
}
