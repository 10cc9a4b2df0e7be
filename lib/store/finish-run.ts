import type { Transaction } from "kysely";
import type { ToolResult } from "@/lib/protocol/message";
import { addDeliveries } from "./add-deliveries";
import { isOnBranch } from "./branch";
import { StoreError } from "./errors";
import { hooksKey } from "./hook-ports";
import { insertMessages, insertUnfound } from "./message-rows";
import type { Runs } from "./ports";
import { prepare } from "./prepare";
import { refusal } from "./run-status";
import type { DB } from "./schema";
import { writeJson } from "./stored-json";
import type { MessageRow, RunEnd, RunRow } from "./types";
import { showWaiting } from "./unlisted";
import { countUse } from "./usage-days";

/**
 * Stores how a run of `owner` ended, the messages it adds and where its conversation stands now, inside a transaction. Gives whose
 * run it is, and whether deliveries for hooks were added.
 */
export async function finishRun(
  trx: Transaction<DB>,
  owner: string,
  ...[id, end, messages]: Parameters<Runs["finish"]>
): Promise<{ userId: string; hasDeliveries: boolean }> {
  const run = await storeEnd(trx, {
    id,
    owner,
    ...end,
    result: { ...end.result, messages: messages.length },
    callStatus: statusOfCall(messages),
  });
  await countUse(trx, { userId: run.user_id, at: end.endedAt, usage: end.result.usage });
  const insert = run.origin === null ? insertMessages : insertUnfound;
  await insert(trx, run.conversation_id, run.user_id, messages);
  await followEnd(trx, run, end.endedAt, messages.at(-1));
  if (run.origin !== null && end.status === "waiting")
    await showWaiting(trx, {
      ...{ conversationId: run.conversation_id, origin: run.origin },
      leafId: messages.at(-1)?.id ?? run.parent_id,
    });
  const hasDeliveries = await addDeliveries(trx, run, { status: end.status, at: end.endedAt });
  return { userId: run.user_id, hasDeliveries };
}

/** Of the last call that the run has brought a result of. */
function statusOfCall(messages: readonly MessageRow[]): ToolResult["status"] | null {
  const last = messages.findLast(({ message }) => message.role === "tool")?.message;
  return (last?.role === "tool" && last.results.at(-1)?.status) || null;
}

type End = Parameters<Runs["finish"]>[1] &
  Pick<StoredEnd, "id" | "owner" | "callStatus"> & { result: RunEnd };

/** In one statement: of two ends the second is a conflict, and that of a run which others have taken over. */
async function storeEnd(trx: Transaction<DB>, { result, iterations, isHeld, ...end }: End) {
  const stored = {
    ...end,
    heldBy: isHeld ? end.owner : null,
    result: writeJson(result),
    iterations: writeJson(iterations),
  };
  const [run] = await updateEnd(trx, stored);
  if (!run) throw await refusal(trx, end.id, `Run ${end.id} has ended already, or is in other hands.`);
  return run;
}

interface StoredEnd {
  id: string;
  owner: string;
  status: RunRow["status"];
  endedAt: number;
  result: string;
  iterations: string;
  heldBy: string | null;
  /** Kept of the call of an MCP client alone. */
  callStatus: ToolResult["status"] | null;
}

const updateEnd = prepare(
  ["id", "owner", "status", "endedAt", "result", "iterations", "heldBy", "callStatus"],
  (db, { id, owner, status, endedAt, result, iterations, heldBy, callStatus }: StoredEnd) =>
    db
      .updateTable("run")
      .set(({ eb, val }) => ({
        ...{ status, ended_at: endedAt, result, iterations, held_by: heldBy },
        call_status: eb.case().when("origin", "=", "gateway").then(val(callStatus)).end(),
      }))
      .where("id", "=", id)
      .where("ended_at", "is", null)
      .where((eb) => eb.or([eb("owner_id", "=", owner), eb("owner_id", "is", null)]))
      .returning(["id", "conversation_id", "user_id", "parent_id", "origin"])
      // Mostly there are none, and the same statement says so.
      .returning((eb) =>
        eb
          .selectFrom("setting")
          .select("value")
          .whereRef("setting.user_id", "=", "run.user_id")
          .where("setting.key", "=", hooksKey)
          .as("hooks"),
      ),
);

type EndedRun = Awaited<ReturnType<typeof storeEnd>>;

/** Moves the conversation's `updated_at` along, and its leaf to the last message. */
async function followEnd(trx: Transaction<DB>, run: EndedRun, at: number, last: MessageRow | undefined) {
  const id = run.conversation_id;
  const [conversation] = await moveOn(trx, { id, at, parentId: run.parent_id, lastId: last?.id ?? null });
  if (!conversation) throw new StoreError("not_found", `There is no conversation ${id}.`);
  const { leaf_id: leaf } = conversation;
  // Of a program's calls each stands by itself.
  if (last && run.origin !== "gateway" && leaf !== last.id && (await isLeafOfRun(trx, run, leaf)))
    await trx.updateTable("conversation").set({ leaf_id: last.id }).where("id", "=", id).execute();
}

interface Moved {
  id: string;
  at: number;
  parentId: string;
  /** Null for a run that has added no message. */
  lastId: string | null;
}

/** The leaf as well, where it is the message that the run hangs on, as it mostly is. */
const moveOn = prepare(["id", "at", "parentId", "lastId"], (db, { id, at, parentId, lastId }: Moved) =>
  db
    .updateTable("conversation")
    .set(({ eb, ref, fn, val }) => ({
      updated_at: at,
      leaf_id: eb
        .case()
        .when(fn.coalesce(ref("leaf_id"), val(parentId)), "=", parentId)
        .then(fn.coalesce(val(lastId), ref("leaf_id")))
        .else(ref("leaf_id"))
        .end(),
    }))
    .where("id", "=", id)
    .returning("leaf_id"),
);

/** False when the person has gone to another branch meanwhile: the end of a run must not take them back. */
async function isLeafOfRun(trx: Transaction<DB>, run: EndedRun, leaf: string | null): Promise<boolean> {
  if (leaf === null) return true;
  const message = await trx
    .selectFrom("message")
    .select("run_id")
    .where("conversation_id", "=", run.conversation_id)
    .where("id", "=", leaf)
    .executeTakeFirst();
  return message?.run_id === run.id || isOnBranch(trx, run.conversation_id, run.parent_id, leaf);
}
