import type { Kysely, Transaction } from "kysely";
import { StoreError } from "./errors";
import { changeStatus } from "./run-status";
import type { DB } from "./schema";
import { ChunkData, readJson, writeJson } from "./stored-json";
import type { AnswerChunk } from "./types";

/** Answers that were given while other questions of the run were open, oldest first. */
export async function readAnswers(db: Kysely<DB>, runId: string): Promise<AnswerChunk[]> {
  const records = await db
    .selectFrom("run_answer")
    .select(["request_id", "body"])
    .where("run_id", "=", runId)
    .orderBy("at")
    .orderBy("request_id")
    .execute();
  return records.map(({ request_id, body }) =>
    readJson<AnswerChunk>(`answer ${request_id} of run ${runId}`, body, ChunkData),
  );
}

export async function addAnswer(
  trx: Transaction<DB>,
  runId: string,
  answer: AnswerChunk,
  known: number,
): Promise<void> {
  // First, as it locks the run in engines that let several transactions write.
  await changeStatus(trx, runId, "waiting", "waiting");
  await requireAnswers(trx, runId, known);
  await trx
    .insertInto("run_answer")
    .values({ run_id: runId, request_id: answer.requestId, body: writeJson(answer), at: Date.now() })
    .execute();
}

/** `conflict` when somebody has answered a question of the run meanwhile. */
export async function requireAnswers(trx: Transaction<DB>, runId: string, known: number): Promise<void> {
  const { count } = await trx
    .selectFrom("run_answer")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("run_id", "=", runId)
    .executeTakeFirstOrThrow();
  if (Number(count) !== known)
    throw new StoreError("conflict", `Run ${runId} has ${count} answers by now, not ${known}.`);
}
