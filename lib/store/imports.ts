import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import { insertAttachments } from "./attachments";
import { insertConversation } from "./conversations";
import { StoreError } from "./errors";
import type { Imports } from "./kept-ports";
import { insertMessages } from "./message-rows";
import type { RunLog } from "./ports";
import { toRecord as toRunRecord } from "./run-rows";
import type { DB } from "./schema";
import { isNotDeleted } from "./shown";
import type { LogEvent, NewImport } from "./types";

/** Rows of one statement, after which others get their turn. */
const batchSize = 100;

/** Takes back the whole transaction without being a failure. */
class FilesFull extends Error {}

/** `log` is of the same store. */
export function openImports(db: Kysely<DB>, log: Pick<RunLog, "append" | "delete">): Imports {
  return {
    async find(userId, source, sourceId) {
      const known =
        (await findSource(db, userId, source, sourceId)) ?? (await findOwn(db, userId, source, sourceId));
      if (!known) return undefined;
      const rows = await db
        .selectFrom("message")
        .select("id")
        .where("conversation_id", "=", known.conversationId)
        .execute();
      return { ...known, messageIds: new Set(rows.map(({ id }) => id)) };
    },
    async taken(userId, ids) {
      const taken = new Set<string>();
      for (let at = 0; at < ids.length; at += batchSize)
        for (const { id } of await selectTaken(db, userId, ids.slice(at, at + batchSize))) taken.add(id);
      return taken;
    },
    async write(row, maxBytes) {
      const runIds = row.runs.map((run) => run.row.id);
      try {
        await announce(db, runIds);
        for (const run of row.runs) await writeLog(log, run.row.id, run.events);
        await db.transaction().execute((trx) => insertAll(trx, row, maxBytes));
        return true;
      } catch (cause) {
        if (runIds.length > 0) await deleteUnfinished(db, log, runIds);
        if (cause instanceof FilesFull) return false;
        throw cause;
      }
    },
  };
}

/** Deletes logs of which a crash or a failure has left no run. */
export async function deleteUnfinished(
  db: Kysely<DB>,
  log: Pick<RunLog, "delete">,
  runIds?: readonly string[],
): Promise<void> {
  let query = db.selectFrom("importing_run").select("id");
  if (runIds) query = query.where("id", "in", runIds);
  const ids = (await query.execute()).map(({ id }) => id);
  if (ids.length === 0) return;
  await log.delete(ids);
  await db.deleteFrom("importing_run").where("id", "in", ids).execute();
}

const findSource = (db: Kysely<DB>, userId: string, source: string, sourceId: string) =>
  db
    .selectFrom("import_source as i")
    .innerJoin("conversation as c", "c.id", "i.conversation_id")
    .select(["c.id as conversationId", "i.hash"])
    .where("i.user_id", "=", userId)
    .where("i.source", "=", source)
    .where("i.source_id", "=", sourceId)
    .where(isNotDeleted)
    .executeTakeFirst();

/** What was exported here and has never left. */
async function findOwn(db: Kysely<DB>, userId: string, source: string, id: string) {
  if (source !== "meguri") return undefined;
  const row = await db
    .selectFrom("conversation as c")
    .select("c.id")
    .where("c.user_id", "=", userId)
    .where("c.id", "=", id)
    .where(isNotDeleted)
    .executeTakeFirst();
  return row && { conversationId: row.id, hash: null };
}

const selectTaken = (db: Kysely<DB>, userId: string, ids: readonly string[]) =>
  db
    .selectFrom("conversation")
    .select("id")
    .where("id", "in", ids)
    .unionAll(db.selectFrom("run").select("id").where("id", "in", ids))
    .unionAll(db.selectFrom("deleted_run").select("id").where("id", "in", ids))
    .unionAll(db.selectFrom("attachment").select("id").where("id", "in", ids))
    .unionAll(
      db
        .selectFrom("message")
        .select("client_message_id as id")
        .where("user_id", "=", userId)
        .where("client_message_id", "in", ids)
        .$castTo<{ id: string }>(),
    )
    .unionAll(
      db
        .selectFrom("queued_message")
        .select("client_message_id as id")
        .where("user_id", "=", userId)
        .where("client_message_id", "in", ids),
    )
    .execute();

async function announce(db: Kysely<DB>, runIds: readonly string[]): Promise<void> {
  for (let at = 0; at < runIds.length; at += batchSize)
    await db
      .insertInto("importing_run")
      .values(runIds.slice(at, at + batchSize).map((id) => ({ id })))
      .execute();
}

async function writeLog(
  log: Pick<RunLog, "append">,
  runId: string,
  events: readonly LogEvent[],
): Promise<void> {
  for (let at = 0; at < events.length; at += batchSize) {
    const isLast = at + batchSize >= events.length;
    await log.append(runId, events.slice(at, at + batchSize), isLast);
  }
}

async function insertAll(trx: Transaction<DB>, row: NewImport, maxBytes: number): Promise<void> {
  const { conversation, messages } = row;
  const { id, userId } = conversation;
  if (row.extends) await extend(trx, row, row.extends.messages);
  else await insertConversation(trx, conversation);
  for (let at = 0; at < messages.length; at += batchSize) {
    await insertMessages(trx, id, userId, messages.slice(at, at + batchSize));
    await nextTurn();
  }
  for (const run of row.runs) await trx.insertInto("run").values(toRunRecord(run.row)).execute();
  if (!(await insertAttachments(trx, userId, row.attachments, maxBytes))) throw new FilesFull();
  await remember(trx, row);
  const runIds = row.runs.map((run) => run.row.id);
  if (runIds.length > 0) await trx.deleteFrom("importing_run").where("id", "in", runIds).execute();
}

/** Its leaf and its time are those of the file from now on; title, pin and project stay as they are here. */
async function extend(trx: Transaction<DB>, { conversation }: NewImport, messages: number): Promise<void> {
  const { id, leafId, updatedAt } = conversation;
  const { count } = await trx
    .selectFrom("message")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("conversation_id", "=", id)
    .executeTakeFirstOrThrow();
  const { numUpdatedRows } = await trx
    .updateTable("conversation")
    .set({ leaf_id: leafId, updated_at: updatedAt })
    .where("id", "=", id)
    .executeTakeFirst();
  if (Number(count) !== messages || Number(numUpdatedRows) === 0)
    throw new StoreError("conflict", `Conversation ${id} has changed while it was extended.`);
}

async function remember(
  trx: Transaction<DB>,
  { source, sourceId, hash, importedAt, conversation }: NewImport,
): Promise<void> {
  const values = { conversation_id: conversation.id, hash, imported_at: importedAt };
  await trx
    .insertInto("import_source")
    .values({ user_id: conversation.userId, source, source_id: sourceId, ...values })
    .onConflict((row) => row.columns(["user_id", "source", "source_id"]).doUpdateSet(values))
    .execute();
}
