import { type Kysely, sql } from "kysely";
import { z } from "zod";
import { addReasonsToLog, addReasonsToRecords } from "./add-reasons";
import type { DB } from "./schema";
import { readJson, writeJson } from "./stored-json";

export interface Migration {
  /** 1, 2, 3 …, over both areas. */
  version: number;
  /** Which file of the embedded engine it belongs to; with one database for all, every migration runs in it. */
  area: Area;
  up(db: Kysely<DB>): Promise<void>;
}

export type Area = "records" | "log";

/** In order; what has been released is never edited, only followed by a new one. */
export const migrations: readonly Migration[] = [
  { version: 1, area: "records", up: createRecords },
  { version: 2, area: "log", up: createLog },
  { version: 3, area: "records", up: createAttachment },
  { version: 4, area: "records", up: addChoice },
  { version: 5, area: "records", up: addReasonsToRecords },
  { version: 6, area: "log", up: addReasonsToLog },
  { version: 7, area: "records", up: createRunAnswer },
  { version: 8, area: "records", up: countMessagesOfResults },
];

async function createRecords(db: Kysely<DB>): Promise<void> {
  await createConversation(db);
  await createMessage(db);
  await createRun(db);
  await createShare(db);
  await db.schema
    .createTable("mcp_approval")
    .addColumn("owner_id", "text", (col) => col.notNull())
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("hash", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("mcp_approval_pk", ["owner_id", "name"])
    .execute();
  await db.schema
    .createTable("setting")
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("key", "text", (col) => col.notNull())
    .addColumn("value", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("setting_pk", ["user_id", "key"])
    .execute();
}

async function createConversation(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("conversation")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("title", "text", (col) => col.notNull())
    .addColumn("leaf_id", "text")
    .addColumn("pinned", "integer", (col) => col.notNull().check(sql`pinned in (0, 1)`))
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("updated_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("conversation_by_user")
    .on("conversation")
    .columns(["user_id", "pinned", "updated_at", "id"])
    .execute();
}

async function createMessage(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("message")
    .addColumn("conversation_id", "text", (col) =>
      col.notNull().references("conversation.id").onDelete("cascade"),
    )
    .addColumn("id", "text", (col) => col.notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("parent_id", "text")
    .addColumn("role", "text", (col) =>
      col.notNull().check(sql`role in ('user', 'summary', 'assistant', 'tool')`),
    )
    .addColumn("run_id", "text")
    .addColumn("model", "text")
    .addColumn("client_message_id", "text")
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("message_pk", ["conversation_id", "id"])
    // No cascade along parents: a long chain would exceed SQLite's depth of triggers.
    .addForeignKeyConstraint("message_parent", ["conversation_id", "parent_id"], "message", [
      "conversation_id",
      "id",
    ])
    .execute();
  await db.schema
    .createIndex("message_by_parent")
    .on("message")
    .columns(["conversation_id", "parent_id", "created_at", "id"])
    .execute();
  await db.schema
    .createIndex("message_by_client_id")
    .unique()
    .on("message")
    .columns(["user_id", "client_message_id"])
    .where("client_message_id", "is not", null)
    .execute();
}

async function createRun(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("run")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("conversation_id", "text", (col) =>
      col.notNull().references("conversation.id").onDelete("cascade"),
    )
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("message_id", "text", (col) => col.notNull())
    .addColumn("parent_id", "text", (col) => col.notNull())
    .addColumn("status", "text", (col) =>
      col
        .notNull()
        .check(sql`status in ('running', 'completed', 'stopped', 'waiting', 'failed', 'interrupted')`),
    )
    .addColumn("model", "text", (col) => col.notNull())
    .addColumn("agent", "text")
    .addColumn("continues", "text")
    .addColumn("started_at", "bigint", (col) => col.notNull())
    .addColumn("ended_at", "bigint")
    .addColumn("options", "text", (col) => col.notNull())
    .addColumn("iterations", "text", (col) => col.notNull())
    .addColumn("result", "text")
    .execute();
  const index = (
    name: string,
    columns: ("conversation_id" | "message_id" | "status" | "started_at" | "id")[],
  ) => db.schema.createIndex(name).on("run").columns(columns).execute();
  await index("run_by_conversation", ["conversation_id", "started_at", "id"]);
  await index("run_by_message", ["conversation_id", "message_id", "started_at"]);
  await index("run_by_status", ["status", "started_at"]);
  // Runs whose log is still to be deleted: the log may lie in another file, beyond the reach of a transaction.
  await db.schema
    .createTable("deleted_run")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .execute();
}

async function createShare(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("share")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("conversation_id", "text", (col) =>
      col.notNull().references("conversation.id").onDelete("cascade"),
    )
    .addColumn("token_hash", "text", (col) => col.notNull().unique())
    .addColumn("title", "text", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .addColumn("expires_at", "bigint")
    .addColumn("revoked_at", "bigint")
    .addColumn("views", "integer", (col) => col.notNull().defaultTo(0))
    .addColumn("snapshot", "text", (col) => col.notNull())
    .execute();
  await db.schema.createIndex("share_by_user").on("share").columns(["user_id", "created_at", "id"]).execute();
  await db.schema.createIndex("share_by_conversation").on("share").column("conversation_id").execute();
}

async function createLog(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("run_event")
    .addColumn("run_id", "text", (col) => col.notNull())
    .addColumn("seq", "integer", (col) => col.notNull().check(sql`seq > 0`))
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("data", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("run_event_pk", ["run_id", "seq"])
    .execute();
}

async function createAttachment(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("attachment")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("conversation_id", "text", (col) => col.references("conversation.id").onDelete("cascade"))
    .addColumn("name", "text", (col) => col.notNull())
    .addColumn("media_type", "text", (col) => col.notNull())
    .addColumn("size", "bigint", (col) => col.notNull())
    .addColumn("characters", "bigint")
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("attachment_by_conversation")
    .on("attachment")
    .columns(["conversation_id", "user_id", "created_at"])
    .execute();
}

async function addChoice(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("conversation").addColumn("choice", "text").execute();
}

/** Answers were a list in a setting; those of a run that is gone or waits no longer are dropped with it. */
async function createRunAnswer(db: Kysely<DB>): Promise<void> {
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
async function countMessagesOfResults(db: Kysely<DB>): Promise<void> {
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
