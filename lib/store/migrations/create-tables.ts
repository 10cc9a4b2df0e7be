import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Dialect } from "@/lib/store/engine";
import type { DB } from "@/lib/store/schema";

export async function createRecords(db: Kysely<DB>): Promise<void> {
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

export async function createLog(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("run_event")
    .addColumn("run_id", "text", (col) => col.notNull())
    .addColumn("seq", "integer", (col) => col.notNull().check(sql`seq > 0`))
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("data", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("run_event_pk", ["run_id", "seq"])
    .execute();
}

/** Rows of many events each; a table without row ids keeps those of a run together, and each key once. */
export async function createEventRange(db: Kysely<DB>, dialect: Dialect): Promise<void> {
  await db.schema
    .createTable("run_key")
    // An integer that is a primary key gets its value from SQLite by itself.
    .addColumn("run", "integer", (col) =>
      (dialect === "postgres" ? col.generatedByDefaultAsIdentity() : col).primaryKey().notNull(),
    )
    .addColumn("run_id", "text", (col) => col.notNull().unique())
    .execute();
  await db.schema
    .createTable("event_range")
    .addColumn("run", "integer", (col) => col.notNull())
    .addColumn("first", "integer", (col) => col.notNull().check(sql`first > 0`))
    .addColumn("last", "integer", (col) => col.notNull().check(sql`last >= first`))
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("data", "text", (col) => col.notNull())
    .addPrimaryKeyConstraint("event_range_pk", ["run", "first"])
    .modifyEnd(withoutRowIds(dialect))
    .execute();
}

/** Keeps the rows of a key together; PostgreSQL has no such tables. */
export const withoutRowIds = (dialect: Dialect): RawBuilder<unknown> =>
  dialect === "sqlite" ? sql`without rowid` : sql``;

/** The rows of a run that has ended, as one; its `data` is empty then. */
export async function addPacked(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("event_range").addColumn("packed", "blob").execute();
}

/**
 * Rows of all runs in the order in which they came. A commit changes its last page alone; among the rows of their run, each
 * of them would change a page of its own.
 */
export async function createEventJournal(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("event_journal")
    .addColumn("id", "integer", (col) => col.primaryKey().notNull())
    .addColumn("run", "integer", (col) => col.notNull())
    .addColumn("first", "integer", (col) => col.notNull())
    .addColumn("last", "integer", (col) => col.notNull())
    .addColumn("at", "bigint", (col) => col.notNull())
    .addColumn("data", "text", (col) => col.notNull())
    .execute();
}

export async function createAttachment(db: Kysely<DB>): Promise<void> {
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

export async function addChoice(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("conversation").addColumn("choice", "text").execute();
}

export async function addSharePolicy(db: Kysely<DB>): Promise<void> {
  await db.schema.alterTable("share").addColumn("policy", "text").execute();
}

export async function createAssistant(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("assistant")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addColumn("bytes", "integer", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("assistant_by_user")
    .on("assistant")
    .columns(["user_id", "created_at", "id"])
    .execute();
}

export async function createProject(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("project")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addColumn("bytes", "integer", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("project_by_user")
    .on("project")
    .columns(["user_id", "created_at", "id"])
    .execute();
  await db.schema
    .alterTable("conversation")
    .addColumn("project_id", "text", (col) => col.references("project.id").onDelete("set null"))
    .execute();
  await db.schema
    .createIndex("conversation_by_project")
    .on("conversation")
    .columns(["project_id", "updated_at", "id"])
    .where("project_id", "is not", null)
    .execute();
  await db.schema
    .alterTable("attachment")
    .addColumn("project_id", "text", (col) => col.references("project.id").onDelete("cascade"))
    .execute();
  await db.schema
    .createIndex("attachment_by_project")
    .on("attachment")
    .column("project_id")
    .where("project_id", "is not", null)
    .execute();
}

export async function createPrompt(db: Kysely<DB>): Promise<void> {
  await db.schema
    .createTable("prompt")
    .addColumn("id", "text", (col) => col.primaryKey().notNull())
    .addColumn("user_id", "text", (col) => col.notNull())
    .addColumn("body", "text", (col) => col.notNull())
    .addColumn("bytes", "integer", (col) => col.notNull())
    .addColumn("created_at", "bigint", (col) => col.notNull())
    .execute();
  await db.schema
    .createIndex("prompt_by_user")
    .on("prompt")
    .columns(["user_id", "created_at", "id"])
    .execute();
}
