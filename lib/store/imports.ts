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
      const announced = { ids: runs.map((run) => run.row.id), owner: members.id };
      try {
        await announce(db, announced);
        for (const run of runs) await writeLog(log, run.row.id, run.events);
        await db.transaction().execute(async (trx) => {
          await insertAll(trx, rows, maxBytes);
          await forget(trx, announced);
        });
        return true;
      } catch (cause) {
        await deleteLogs(db, log, announced);
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
  const rows = await db.selectFrom("importing_run").select("owner_id").distinct().execute();
  const owners = rows.map(({ owner_id }) => owner_id);
  const gone = new Set(await members.ended(owners.filter((owner) => owner !== null)));
  const owner = members.id;
  const ids: string[] = [];
  for (const from of owners) if (from === null || gone.has(from)) ids.push(...(await claim(db, from, owner)));
  await deleteLogs(db, log, { ids, owner });
}

/** Runs whose logs are written before they are, and by which process. */
interface Announced {
  ids: readonly string[];
  owner: string;
}

/** Whoever was importing them may wake up: it can end that no more. Gives their ids. */
async function claim(db: Kysely<DB>, from: string | null, to: string): Promise<string[]> {
  const rows = await db
    .updateTable("importing_run")
    .set({ owner_id: to })
    .where("owner_id", "is not distinct from", from)
    .returning("id")
    .execute();
  return rows.map(({ id }) => id);
}

async function deleteLogs(
  db: Kysely<DB>,
  log: Pick<RunLog, "delete">,
  { ids: runIds, owner }: Announced,
): Promise<void> {
  if (runIds.length === 0) return;
  const rows = await db
    .selectFrom("importing_run")
    .select("id")
    .where("id", "in", runIds)
    .where("owner_id", "=", owner)
    .execute();
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return;
  await log.delete(ids);
  await db.deleteFrom("importing_run").where("id", "in", ids).where("owner_id", "=", owner).execute();
}

async function announce(db: Kysely<DB>, { ids, owner }: Announced): Promise<void> {
  for (let at = 0; at < ids.length; at += batchSize)
    await db
      .insertInto("importing_run")
      .values(ids.slice(at, at + batchSize).map((id) => ({ id, owner_id: owner })))
      .execute();
}

/** With the runs it is over that they are to come. */
async function forget(trx: Transaction<DB>, { ids, owner }: Announced): Promise<void> {
  if (ids.length === 0) return;
  const { numDeletedRows } = await trx
    .deleteFrom("importing_run")
    .where("id", "in", ids)
    .where("owner_id", "=", owner)
    .executeTakeFirstOrThrow();
  // Another process has taken this one for dead, and deletes the logs.
  if (Number(numDeletedRows) < ids.length)
    throw new StoreError("io", "The import was given up by another process; start it again.");
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
