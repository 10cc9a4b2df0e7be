import { type Kysely, sql } from "kysely";
import { z } from "zod";
import type { DB } from "@/lib/store/schema";
import { readJson, writeJson } from "@/lib/store/stored-json";

/** Keys and small rows that are read at once. */
const rowsAtOnce = 500;

const answersKey = "answers:";

/** Answers were a list in a setting; those of a run that is gone or waits no longer are dropped with it. */
export async function createRunAnswer(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("run_answer")
    .addColumn("run_id", "text", (col) => col.notNull().references("run.id").onDelete("cascade"))
    .addColumn("request_id", "text", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addColumn("at", "bigint", (col) => col.notNull())
    .addPrimaryKeyConstraint("run_answer_pk", ["run_id", "request_id"])
    .execute();
  let after = { user_id: "", key: "" };
  for (;;) {
    const rows = await db
      .selectFrom("setting")
      .select(["user_id", "key", "value"])
      .where("key", "like", `${answersKey}%`)
      .where(sql<boolean>`(user_id, key) > (${after.user_id}, ${after.key})`)
      .orderBy("user_id")
      .orderBy("key")
      .limit(rowsAtOnce)
      .execute();
    for (const { key, value } of rows) await keepAnswers(db, key.slice(answersKey.length), value);
    const last = rows.at(-1);
    if (!last) break;
    after = last;
  }
  await db.deleteFrom("setting").where("key", "like", `${answersKey}%`).execute();
}

/** Looked up run by run: a join of settings with the runs that wait would compare each with each. */
async function keepAnswers(db: Kysely<DB>, runId: string, value: string): Promise<void> {
  const run = await db
    .selectFrom("run")
    .select("started_at")
    .where("run.id", "=", runId)
    .where("run.status", "=", "waiting")
    .executeTakeFirst();
  if (!run) return;
  for (const [index, answer] of answersIn(value).entries())
    await db
      .insertInto("run_answer")
      .values({
        run_id: runId,
        request_id: answer.requestId,
        body: writeJson(answer),
        at: run.started_at + index,
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Nothing of a damaged row: its questions are asked again, and the start continues. */
function answersIn(value: string): readonly { requestId: string }[] {
  try {
    return readJson("answers", value, z.array(z.object({ requestId: z.string() })));
  } catch {
    return [];
  }
}

/**
 * A run's result held its messages too. They are stored as messages already: it keeps their number. Results are read one
 * at a time, as each may be as large as what the tools of its run gave back.
 */
export async function countMessagesOfResults(db: Kysely<DB>): Promise<void> {
  for (let after = ""; ; ) {
    const rows = await db
      .selectFrom("run")
      .select("id")
      .where("id", ">", after)
      .orderBy("id")
      .limit(rowsAtOnce)
      .execute();
    for (const { id } of rows) await countMessages(db, id);
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
}

async function countMessages(db: Kysely<DB>, id: string): Promise<void> {
  const { result } = await db
    .selectFrom("run")
    .select("result")
    .where("id", "=", id)
    .executeTakeFirstOrThrow();
  const counted = result && withCount(result);
  if (counted) await db.updateTable("run").set({ result: counted }).where("id", "=", id).execute();
}

const OldResult = z.looseObject({ historyDelta: z.array(z.unknown()) });

/** Nothing for a run without an end, and for a damaged row, which stays as it is. */
function withCount(text: string): string | undefined {
  try {
    const { historyDelta, ...result } = readJson<z.output<typeof OldResult>>("result", text, OldResult);
    return writeJson({ ...result, messages: historyDelta.length });
  } catch {
    return undefined;
  }
}
