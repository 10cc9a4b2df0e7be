import type { z } from "zod";
import type { AttachmentItem, Page, QueuedMessage, QueuedWhen } from "@/lib/protocol/http";
import type { StoredFile, UserMessage } from "@/lib/protocol/message";
import { isLoose, toPart } from "@/lib/server/attachments/attachments";
import type { QueuedBody, QueuedPatch, StopBody } from "@/lib/server/contract/chat";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { isStoreError } from "@/lib/server/http/store-failure";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { expectMessages } from "@/lib/server/runs/expect-messages";
import { checkRunWritable } from "@/lib/server/runs/read-only";
import { stopRun } from "@/lib/server/runs/stop-run";
import { endOfChain } from "@/lib/server/runs/waiting-messages";
import type { NewQueued, QueuedRow } from "@/lib/store/queue-types";
import { chainOf } from "@/lib/store/run-chain";
import type { RunRow } from "@/lib/store/types";
import { runningIn } from "./active-run";
import { askWaiting } from "./ask-waiting";
import type { ChatDeps } from "./chat";

/**
 * Stores a message behind the chain of a run. A workflow is not steered: its steps have histories of their own, and the
 * message is asked after it, which the answer says. What is said to one of several models that answer the same is said to
 * all that are still at it.
 */
export async function queueMessage(
  deps: RunDeps,
  run: RunRow,
  { when, ...body }: z.output<typeof QueuedBody>,
): Promise<{ id: string; when: QueuedWhen }> {
  const kept = run.agent === null ? when : "after";
  const id = await store(deps, run, { ...body, when: kept });
  if (kept === "next_turn") await tellCompared(deps, run, { ...body, when: kept });
  return { id, when: kept };
}

async function tellCompared(deps: RunDeps, run: RunRow, body: z.output<typeof QueuedBody>): Promise<void> {
  const { comparison } = run.options;
  if (comparison === undefined) return;
  for (const row of await runningIn(deps, run.conversationId)) {
    if (row.options.comparison !== comparison || row.messageId === run.messageId) continue;
    const clientMessageId = `${body.clientMessageId}/${row.messageId}`;
    await store(deps, row, { ...body, clientMessageId }).catch((cause) => {
      if (!(cause instanceof HttpError) || cause.code !== endedCode) throw cause;
    });
  }
}

/** What waits behind the chain of a run, in order. */
export async function listQueued(deps: RunDeps, run: RunRow): Promise<Page<QueuedMessage>> {
  const runs = await deps.store.runs.ofMessage(run.conversationId, run.messageId);
  const rows = await deps.store.queue.waiting(chainOf(runs, run.id)[0]?.id ?? run.id);
  return { items: rows.map(toItem), nextCursor: null };
}

/** Changes a message that waits: its words, when the model gets it, its place. */
export async function changeQueued(
  deps: RunDeps,
  run: RunRow,
  id: string,
  { text, when, before }: z.output<typeof QueuedPatch>,
): Promise<QueuedMessage> {
  const row = await findQueued(deps, run, id);
  const message = text === undefined ? undefined : withText(row.message, text);
  if (when === "next_turn") await checkGoesOn(deps, row);
  const kept = run.agent === null ? when : when && "after";
  const isChanged = await deps.store.queue
    .change(id, { message, when: kept, ...(before !== undefined && { before }) })
    .catch((cause) => {
      if (!isStoreError(cause) || cause.code !== "not_found") throw cause;
      throw new HttpError(404, "not_found", "before: this message does not wait behind the same answer.");
    });
  if (!isChanged) throw delivered();
  await tellOf(deps, run);
  return toItem(await findQueued(deps, run, id));
}

/** Takes a message back that waits. */
export async function takeBack(deps: RunDeps, run: RunRow, id: string): Promise<void> {
  await findQueued(deps, run, id);
  if (!(await deps.store.queue.takeBack(id))) throw delivered();
}

/** However often somebody else begins or continues a run meanwhile. */
const maxStops = 20;

/**
 * Ends a run and asks this next, before all that waits. The message is stored first: when the run cannot be ended now, it
 * waits. Sent again, it gives the run that answers it.
 */
export async function stopAndAsk(
  deps: ChatDeps,
  run: RunRow,
  then: NonNullable<z.output<typeof StopBody>["then"]>,
): Promise<{ runId: string; messageId: string }> {
  await checkRunWritable(deps, run);
  const place = { isFirst: true, mayFollow: true };
  const messageId = await store(deps, run, { ...then, when: "after" }, place);
  await stopRun(deps, run);
  for (let left = maxStops; left > 0; left--) {
    const row = await deps.store.queue.get(run.userId, messageId);
    const runId = row ? row.runId : (await answerOf(deps, run, messageId))?.id;
    if (runId) return { runId, messageId };
    const end = row && (await endOfChain(deps, run.userId, row.chainId));
    if (!end) break;
    // Another message was asked meanwhile, or the run was continued.
    if (end.status === "running" || end.status === "waiting") await stopRun(deps, end);
    const asked = await askWaiting(deps, end, row.chainId, messageId);
    if (asked) return { runId: asked.id, messageId };
  }
  throw new HttpError(409, "conflict", "This has changed meanwhile; reload and try again.");
}

/** The run that was begun with this question. */
const answerOf = async ({ store: { runs } }: RunDeps, { conversationId }: RunRow, messageId: string) =>
  (await runs.ofMessage(conversationId, messageId)).at(0);

/** Gives the id of the message, or of that which was stored under the same `clientMessageId` before. */
async function store(
  deps: RunDeps,
  run: RunRow,
  { text, attachments = [], when, clientMessageId }: z.output<typeof QueuedBody>,
  place: Pick<NewQueued, "isFirst" | "mayFollow"> = {},
): Promise<string> {
  const { conversationId, userId } = run;
  const files = await filesOf(deps, run, attachments);
  const parts = [...files, ...(text ? [{ type: "text" as const, text }] : [])];
  const row = {
    ...{ id: newId(), conversationId, userId, clientMessageId, when, createdAt: Date.now() },
    message: { role: "user" as const, parts },
  };
  // Before it is stored, as the run may end meanwhile, and after it, as another one may go on.
  await expectMessages(deps, run);
  const added = await deps.store.queue.add({ row, runId: run.id, questionId: run.messageId, ...place });
  await tellOf(deps, run);
  if (added === "ended") throw ended();
  if (added === "full")
    throw new HttpError(
      409,
      "queue_full",
      "At most 20 messages wait behind an answer; take one back, or send this one later.",
    );
  return added.id;
}

/** What is stored is not lost where its process does not respond: it is asked after the answer. */
async function tellOf(deps: RunDeps, run: RunRow): Promise<void> {
  await expectMessages(deps, run).catch((cause) => {
    if (!(cause instanceof HttpError) || cause.status !== 503) throw cause;
  });
}

async function filesOf(
  { store: { attachments } }: RunDeps,
  { userId, conversationId }: RunRow,
  named: readonly { id: string }[],
): Promise<StoredFile[]> {
  const parts: StoredFile[] = [];
  for (const [at, { id }] of named.entries()) {
    const row = await attachments.get(userId, id);
    if (!row)
      throw new HttpError(
        404,
        "not_found",
        `attachments.${at}: this file is no longer there; attach it again.`,
      );
    if (!isLoose(row) && row.conversationId !== conversationId)
      throw new HttpError(
        400,
        "invalid_input",
        `attachments.${at}: this file belongs to another conversation; attach it here again.`,
      );
    parts.push(toPart(row));
  }
  return parts;
}

/** One of this conversation, whichever run of it the page knows. */
async function findQueued({ store: { queue } }: RunDeps, run: RunRow, id: string): Promise<QueuedRow> {
  const row = await queue.get(run.userId, id);
  if (row?.conversationId !== run.conversationId) throw notFound("message");
  if (row.state !== "waiting") throw delivered();
  return row;
}

/** Only a run that goes on, or waits, has a next turn. */
async function checkGoesOn(deps: RunDeps, { userId, chainId }: QueuedRow): Promise<void> {
  const end = await endOfChain(deps, userId, chainId);
  if (end?.status !== "running" && end?.status !== "waiting") throw ended();
}

function withText({ parts }: UserMessage, text: string): UserMessage {
  const files = parts.filter((part) => part.type === "file");
  if (text === "" && files.length === 0)
    throw new HttpError(400, "invalid_input", "text: must not be empty.");
  return { role: "user", parts: [...files, ...(text ? [{ type: "text" as const, text }] : [])] };
}

const endedCode = "run_ended";
const ended = () =>
  new HttpError(409, endedCode, "This answer has ended; send the message as a question of its own.");

const delivered = () =>
  new HttpError(409, "delivered", "The model has this message already; send another one to correct it.");

function toItem({ id, clientMessageId, message: { parts }, when, createdAt }: QueuedRow): QueuedMessage {
  return {
    id,
    clientMessageId,
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    attachments: parts.flatMap((part): AttachmentItem[] =>
      part.type === "file" && part.attachmentId !== undefined
        ? [{ id: part.attachmentId, name: part.name ?? "", mimeType: part.mediaType, size: part.size }]
        : [],
    ),
    when,
    createdAt: new Date(createdAt).toISOString(),
  };
}
