import type { Transaction } from "kysely";
import { addUsage } from "@/lib/protocol/usage";
import type { Conversations } from "./conversation-ports";
import { toRow } from "./run-rows";
import type { DB } from "./schema";
import { writeJson } from "./stored-json";

/** Stores a title where the one that it replaces still stands, and what it has cost with the run that it is about. Gives the owner of one that was replaced. */
export async function giveTitle(
  trx: Transaction<DB>,
  ...[id, { from, to, runId, usage }]: Parameters<Conversations["giveTitle"]>
): Promise<string | undefined> {
  const titled =
    to === undefined
      ? undefined
      : await trx
          .updateTable("conversation")
          .set({ title: to })
          .where("id", "=", id)
          .where("title", "=", from)
          .returning("user_id")
          .executeTakeFirst();
  const record = await trx.selectFrom("run").selectAll().where("id", "=", runId).executeTakeFirst();
  const result = record && toRow(record).result;
  if (!result) return titled?.user_id;
  const total = { ...result.usage };
  addUsage(total, usage);
  await trx
    .updateTable("run")
    .set({ result: writeJson({ ...result, usage: total }) })
    .where("id", "=", runId)
    .execute();
  return titled?.user_id;
}
