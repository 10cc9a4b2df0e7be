import type { Transaction } from "kysely";
import { refusal } from "./run-status";
import type { DB } from "./schema";
import { RunOptionsData, readJson, writeJson } from "./stored-json";
import type { RunOptions } from "./types";

/** Switches step mode in the options of a run that has not ended for good. */
export async function setStep(trx: Transaction<DB>, id: string, isOn: boolean): Promise<void> {
  const found = await trx
    .selectFrom("run")
    .select("options")
    .where("id", "=", id)
    .where("status", "in", ["running", "waiting"])
    .executeTakeFirst();
  if (!found) throw await refusal(trx, id, `Run ${id} neither goes on nor waits.`);
  const options = { ...readJson<RunOptions>(`run ${id}`, found.options, RunOptionsData), step: isOn };
  await trx
    .updateTable("run")
    .set({ options: writeJson(options) })
    .where("id", "=", id)
    .execute();
}
