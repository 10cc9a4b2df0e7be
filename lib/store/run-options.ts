import type { Transaction } from "kysely";
import type { GatewayCall } from "@/lib/protocol/gateway";
import { StoreError } from "./errors";
import { refusal } from "./run-status";
import type { DB } from "./schema";
import { RunOptionsData, readJson, writeJson } from "./stored-json";
import type { RunOptions, RunRow } from "./types";

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

/** Of two processes that take it up the second finds another holder. */
export async function takeUp(
  trx: Transaction<DB>,
  owner: string,
  { id, heldBy }: Pick<RunRow, "id" | "heldBy">,
  gateway: GatewayCall,
): Promise<void> {
  const found = await trx
    .updateTable("run")
    .set({ held_by: owner })
    .where("id", "=", id)
    .where("status", "=", "waiting")
    .where("held_by", "is not distinct from", heldBy ?? null)
    .returning("options")
    .executeTakeFirst();
  if (!found) throw new StoreError("conflict", `Run ${id} waits no more, or was taken up elsewhere.`);
  const options = { ...readJson<RunOptions>(`run ${id}`, found.options, RunOptionsData), gateway };
  await trx
    .updateTable("run")
    .set({ options: writeJson(options) })
    .where("id", "=", id)
    .execute();
}
