import type { Kysely } from "kysely";
import { z } from "zod";
import type { DB } from "./schema";
import { readJson, writeJson } from "./stored-json";

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
  const kept = await db
    .selectFrom("setting")
    .innerJoin("run", (join) =>
      join.on((eb) => eb("setting.key", "=", eb(eb.val("answers:"), "||", eb.ref("run.id")))),
    )
    .select(["run.id", "run.started_at", "setting.value"])
    .where("run.status", "=", "waiting")
    .execute();
  for (const { id, started_at, value } of kept)
    for (const [index, answer] of answersIn(value).entries())
      await db
        .insertInto("run_answer")
        .values({ run_id: id, request_id: answer.requestId, body: writeJson(answer), at: started_at + index })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
  await db.deleteFrom("setting").where("key", "like", "answers:%").execute();
}

/** Nothing of a damaged row: its questions are asked again, and the start continues. */
function answersIn(value: string): readonly { requestId: string }[] {
  try {
    return readJson("answers", value, z.array(z.object({ requestId: z.string() })));
  } catch {
    return [];
  }
}

/** Rows that are read at once; a result may be as large as what its tools gave back. */
const rowsAtOnce = 50;

/** A run's result held its messages too. They are stored as messages already: it keeps their number. */
export async function countMessagesOfResults(db: Kysely<DB>): Promise<void> {
  for (let after = ""; ; ) {
    const rows = await db
      .selectFrom("run")
      .select(["id", "result"])
      .where("id", ">", after)
      .orderBy("id")
      .limit(rowsAtOnce)
      .execute();
    for (const { id, result } of rows) {
      const counted = result && withCount(result);
      if (counted) await db.updateTable("run").set({ result: counted }).where("id", "=", id).execute();
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.id;
  }
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
