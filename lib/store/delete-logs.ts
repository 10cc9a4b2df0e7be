import type { Kysely } from "kysely";
import type { RunLog } from "./ports";
import type { DB } from "./schema";

const batchSize = 500;

/** Deletes the logs of runs that went with their conversation; what a crash left undone is done at the next opening. */
export async function deleteLogs(records: Kysely<DB>, log: RunLog): Promise<void> {
  while (true) {
    const rows = await records.selectFrom("deleted_run").select("id").limit(batchSize).execute();
    if (rows.length === 0) return;
    const ids = rows.map(({ id }) => id);
    await log.delete(ids);
    await records.deleteFrom("deleted_run").where("id", "in", ids).execute();
  }
}
