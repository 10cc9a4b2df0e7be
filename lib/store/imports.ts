import { setImmediate as nextTurn } from "node:timers/promises";
import type { Kysely, Transaction } from "kysely";
import { insertAttachments } from "./attachments";
import { insertConversation } from "./conversations";
import type { EngineMembers } from "./engine";
import { StoreError } from "./errors";
import { findImport, findTaken } from "./find-imports";
import type { Imports } from "./kept-ports";
import { insertMessageRecords, toMessageRecord } from "./message-rows";
import type { RunLog } from "./ports";
import { prepare } from "./prepare";
import { toRecord as toRunRecord } from "./run-rows";
import type { DB } from "./schema";
import type { LogEvent, NewImport } from "./types";

/** Rows of one statement, after which others get their turn. */
const batchSize = 100;

/** Takes back the whole transaction without being a failure. */
class FilesFull extends Error {}

type Importer = Pick<EngineMembers, "id">;

/** `log` is of the same store. */
export function openImports(
  db: Kysely<DB>,
  log: Pick<RunLog, "append" | "delete">,
  members: Importer,
): Imports {
  return {
    find: (userId, source, sourceId) => findImport(db, userId, { source, sourceId }),
    taken: (userId, ids) => findTaken(db, userId, ids),
    async write(rows, maxBytes) {
      const runs = rows.flatMap((row) => row.runs);
      const runIds = runs.map((run) => run.row.id);
      try {
        await announce(db, runIds, members.id);
        for (const run of runs) await writeLog(log, run.row.id, run.events);
        await db.transaction().execute((trx) => insertAll(trx, rows, maxBytes));
        return true;
      } catch (cause) {
        await deleteLogs(db, log, runIds);
        if (cause instanceof FilesFull) return false;
        throw cause;
      }
    },
  };
}

/** Deletes logs of which a crash has left no run; what another process is just writing stays. */
export async function deleteUnfinished(
  db: Kysely<DB>,
  log: Pick<RunLog, "delete">,
  members: Pick<EngineMembers, "id" | "ended">,
): Promise<void> {
  const rows = await db.selectFrom("importing_run").selectAll().execute();
  const owners = new Set(rows.flatMap(({ owner_id }) => owner_id ?? []));
  const gone = new Set(await members.ended([...owners]));
  const isLeft = ({ owner_id }: (typeof rows)[number]) => owner_id === null || gone.has(owner_id);
  await deleteLogs(
    db,
    log,
    rows.filter(isLeft).map(({ id }) => id),
  );
}

async function deleteLogs(
  db: Kysely<DB>,
  log: Pick<RunLog, "delete">,
  runIds: readonly string[],
): Promise<void> {
  if (runIds.length === 0) return;
  const rows = await db.selectFrom("importing_run").select("id").where("id", "in", runIds).execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  await log.delete(ids);
  await db.deleteFrom("importing_run").where("id", "in", ids).execute();
}

async function announce(db: Kysely<DB>, runIds: readonly string[], owner: string): Promise<void> {
  for (let at = 0; at < runIds.length; at += batchSize)
    await db
      .insertInto("importing_run")
      .values(runIds.slice(at, at + batchSize).map((id) => ({ id, owner_id: owner })))
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

async function insertAll(trx: Transaction<DB>, rows: readonly NewImport[], maxBytes: number): Promise<void> {
  for (const row of rows) {
    if (row.extends) await extend(trx, row, row.extends.messages);
    else await insertConversation(trx, row.conversation);
  }
  // Of all together, as the index for the search takes the less the fewer statements write to it.
  for (const records of messageRecords(rows)) {
    await insertMessageRecords(trx, records, nextTurn);
    await nextTurn();
  }
  // With its first statement FTS5 writes out what it holds in memory: done here, the commit holds others up less.
  for (const row of rows) await remember(trx, row);
  await nextTurn();
  for (const { conversation, runs, attachments } of rows) {
    for (const run of runs) await trx.insertInto("run").values(toRunRecord(run.row, null)).execute();
    if (attachments.length === 0) continue;
    if (!(await insertAttachments(trx, conversation.userId, attachments, maxBytes))) throw new FilesFull();
  }
  const runIds = rows.flatMap(({ runs }) => runs.map(({ row }) => row.id));
  if (runIds.length === 0) return;
  const { numDeletedRows } = await trx
    .deleteFrom("importing_run")
    .where("id", "in", runIds)
    .executeTakeFirstOrThrow();
  // Another process has taken this one for dead, and has deleted the logs.
  if (Number(numDeletedRows) < runIds.length)
    throw new StoreError("io", "The import was given up by another process; start it again.");
}

/** No more at a time than one statement takes. */
function* messageRecords(rows: readonly NewImport[]): Generator<DB["message"][]> {
  let records: DB["message"][] = [];
  for (const { conversation, messages } of rows)
    for (const message of messages) {
      records.push(toMessageRecord(message, conversation.id, conversation.userId));
      if (records.length < batchSize) continue;
      yield records;
      records = [];
    }
  if (records.length > 0) yield records;
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
  const row = { user_id: conversation.userId, source, source_id: sourceId, imported_at: importedAt };
  await upsertSource(trx, { ...row, conversation_id: conversation.id, hash });
}

const upsertSource = prepare(
  ["user_id", "source", "source_id", "conversation_id", "hash", "imported_at"],
  (db, { user_id, source, source_id, ...values }: DB["import_source"]) =>
    db
      .insertInto("import_source")
      .values({ user_id, source, source_id, ...values })
      .onConflict((row) => row.columns(["user_id", "source", "source_id"]).doUpdateSet(values)),
);
