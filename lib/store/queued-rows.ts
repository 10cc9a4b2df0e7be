import type { Kysely, Selectable, Transaction } from "kysely";
import type { QueuedWhen } from "@/lib/protocol/http";
import type { UserMessage } from "@/lib/protocol/message";
import { StoreError } from "./errors";
import type { QueuedRow } from "./queue-types";
import type { DB } from "./schema";
import { MessageBody, readJson, writeJson } from "./stored-json";
import type { RunStart } from "./types";

/** The question that a run begins with has waited: nobody else may have it. `conflict` when somebody has, or has changed it. */
export async function deliverQueued(
  trx: Transaction<DB>,
  { id, follows, message }: NonNullable<RunStart["queued"]>,
  runId: string,
): Promise<void> {
  let update = trx
    .updateTable("queued_message")
    .set({ state: "delivered", body: noBody, run_id: runId, follows: follows ?? null })
    .where("id", "=", id)
    .where("state", "=", "waiting");
  if (message) update = update.where("body", "=", toBody(message));
  const { numUpdatedRows } = await update.executeTakeFirst();
  if (Number(numUpdatedRows) === 0)
    throw new StoreError("conflict", `The message ${id} does not wait any more.`);
}

/** What waits behind these chains waits behind another one from now on, each to be asked after it. */
export async function moveQueued(
  trx: Transaction<DB>,
  chainIds: readonly string[],
  to: string,
): Promise<void> {
  const waiting: Waiting[] = [];
  for (const chainId of chainIds) waiting.push(...(await selectWaiting(trx, chainId)));
  await place(trx, waiting, { kind: "after", chain_id: to });
}

type Waiting = Selectable<DB["queued_message"]>;

/** Gives each its number in this order. */
export async function place(
  trx: Transaction<DB>,
  rows: readonly Waiting[],
  patch: { kind?: QueuedWhen; chain_id?: string } = {},
): Promise<void> {
  for (const [at, { id }] of rows.entries())
    await trx
      .updateTable("queued_message")
      .set({ ...patch, position: at + 1 })
      .where("id", "=", id)
      .execute();
}

export const selectWaiting = async (db: Kysely<DB>, chainId: string): Promise<Waiting[]> =>
  inOrder(
    await db
      .selectFrom("queued_message")
      .selectAll()
      .where("chain_id", "=", chainId)
      .where("state", "=", "waiting")
      .execute(),
  );

/** What was put before all others, what the model reads next, and what is asked after that. */
export const inOrder = (rows: readonly Waiting[]): Waiting[] =>
  rows.toSorted((a, b) => rankOf(a) - rankOf(b) || a.position - b.position || a.id.localeCompare(b.id));

const rankOf = ({ kind, position }: Waiting) => (kind === "next_turn" ? 1 : position < 0 ? 0 : 2);

/** Of one that the model has: its words are in the history. */
export const noBody = '{"parts":[]}';

export function toBody({ role: _, ...body }: UserMessage): string {
  return writeJson(body);
}

export function toRow(record: Waiting): QueuedRow {
  const body = readJson<Omit<UserMessage, "role">>(
    `queued message ${record.id}`,
    record.body,
    MessageBody.user,
  );
  return {
    id: record.id,
    conversationId: record.conversation_id,
    userId: record.user_id,
    chainId: record.chain_id,
    clientMessageId: record.client_message_id,
    when: record.kind,
    state: record.state,
    runId: record.run_id,
    message: { role: "user", ...body },
    createdAt: record.created_at,
  };
}
