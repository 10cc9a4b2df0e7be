import type { Kysely, Transaction } from "kysely";
import type { RunStatus } from "@/lib/protocol/http";
import { StoreError } from "./errors";
import type { DB } from "./schema";
import { hideAgain } from "./unlisted";

/**
 * Changes the status of a run in one statement that asks for the old one, so that of two who saw the same status one
 * wins; the other gets a `conflict`. Gives the run's conversation and whose it is.
 */
export async function changeStatus(
  trx: Transaction<DB>,
  id: string,
  from: RunStatus,
  to: RunStatus,
): Promise<{ conversationId: string; userId: string }> {
  const changed = await trx
    .updateTable("run")
    .set({ status: to })
    .where("id", "=", id)
    .where("status", "=", from)
    .returning(["conversation_id as conversationId", "user_id as userId", "origin"])
    .executeTakeFirst();
  if (!changed) throw await refusal(trx, id, `Run ${id} is not ${from} any more.`);
  if (from === "waiting" && to !== "waiting") {
    await trx.deleteFrom("run_answer").where("run_id", "=", id).execute();
    const { conversationId, origin } = changed;
    if (origin !== null) await hideAgain(trx, { conversationId, origin });
  }
  return changed;
}

/** Why a statement about a run has changed nothing: it is not there, or what `conflict` says. */
export async function refusal(db: Kysely<DB>, id: string, conflict: string): Promise<StoreError> {
  const run = await db.selectFrom("run").select("id").where("id", "=", id).executeTakeFirst();
  return run ? new StoreError("conflict", conflict) : new StoreError("not_found", `There is no run ${id}.`);
}
