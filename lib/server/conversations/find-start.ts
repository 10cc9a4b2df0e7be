import type { z } from "zod";
import type { StartedBy } from "@/lib/protocol/http";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { attachedParts } from "@/lib/server/attachments/attachments";
import type { ChatBody } from "@/lib/server/contract/chat";
import { HttpError } from "@/lib/server/http/errors";
import { isStoreError } from "@/lib/server/http/store-failure";
import { newTemporaryId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { closeWaiting } from "@/lib/server/runs/close-waiting";
import type { RunRequest } from "@/lib/server/runs/start-run";
import { textOfQuestion, titleFrom, untitled } from "@/lib/server/title";
import type { QueuedRow } from "@/lib/store/queue-types";
import type { ConversationListRow, MessageRow, RunStart } from "@/lib/store/types";
import { type AskedByProgram, askForProgram } from "./ask-for-program";
import { namedIn } from "./named-choice";
import { type Again, runAgain } from "./run-again";

type StartDeps = RunDeps & { files: AttachmentFiles };

type ChatRequest = z.output<typeof ChatBody> & { program?: AskedByProgram; startedBy?: StartedBy };

/** What a run answers, where it hangs if not there, and what is stored together with it. */
export type Start = Pick<Again, "question"> &
  Partial<Again> &
  Pick<RunRequest, "before"> & { branch?: readonly MessageRow[] };

export async function findStart(
  deps: StartDeps,
  userId: string,
  request: ChatRequest,
  conversation: ConversationListRow | undefined,
  queued: QueuedRow | undefined,
): Promise<Start> {
  const { regenerate, fromCall, program } = request;
  if (program) return askForProgram(userId, request, program);
  if (regenerate !== undefined && !conversation)
    throw new HttpError(
      400,
      "invalid_input",
      "conversationId: name the conversation of the message to regenerate.",
    );
  if (!conversation || regenerate === undefined)
    return askQuestion(deps, userId, request, conversation, queued);
  if (fromCall !== undefined)
    return runAgain(deps, conversation, { messageId: regenerate, callId: fromCall });
  const question = await findQuestion(deps, conversation.id, regenerate);
  return { question, begin: { leaf: { to: question.id } } };
}

/** The new message, and what of it is stored together with its run. */
async function askQuestion(
  deps: StartDeps,
  userId: string,
  request: ChatRequest,
  known: ConversationListRow | undefined,
  queued: QueuedRow | undefined,
): Promise<Start> {
  const text = request.message?.text ?? "";
  const named = namedIn(request);
  const { projectId } = request;
  const conversation =
    known ??
    newConversation(userId, {
      ...(request.temporary && { id: newTemporaryId() }),
      ...(Object.keys(named).length > 0 && { choice: named }),
      ...(projectId !== undefined && { projectId }),
    });
  const { id: conversationId } = conversation;
  const place = request.parentId === undefined ? conversation.leafId : request.parentId;
  const before = place === null ? [] : await findBranch(deps, conversationId, place);
  const parent = before.at(-1);
  const attached = await attachedParts(deps, userId, request.message?.attachments ?? [], conversationId);
  // Last, as nothing takes it back: a message that is refused leaves the questions of a run open.
  const isSettled = parent && isNewestEnd(known?.lastRun, parent);
  const parentId = parent && !isSettled ? await closeWaiting(deps, userId, parent) : (parent?.id ?? null);
  const parts = [...attached, ...(text ? [{ type: "text" as const, text }] : [])];
  const title = titleFrom(textOfQuestion(parts));
  if (!known) conversation.title = request.startedBy?.name ?? title;
  const question = newMessage(
    { conversationId, parentId },
    { role: "user", parts },
    { clientMessageId: request.clientMessageId ?? null, ...(queued && { id: queued.id }) },
  );
  const begin: RunStart = {
    question,
    attachments: attached.map(({ attachmentId }) => attachmentId),
    // Who names no place means the end of the conversation as it is now.
    ...(request.parentId === undefined && { leaf: { from: parentId } }),
    ...(!known && { conversation }),
    ...(known?.title === untitled && { title: { from: untitled, to: title } }),
  };
  // A wait that was closed has left a message behind the others.
  return { question, begin, branch: before, ...(parentId === (parent?.id ?? null) && { before }) };
}

/** Whether the newest run has written this message and ended: what waits here would be newer. */
const isNewestEnd = (newest: ConversationListRow["lastRun"] | undefined, { runId }: MessageRow): boolean =>
  newest?.id === runId && newest?.status !== "running" && newest?.status !== "waiting";

/** The messages up to the one that the new one hangs on; refused while an answer is being written there. */
async function findBranch(deps: StartDeps, conversationId: string, id: string): Promise<MessageRow[]> {
  const rows = await readBranch(deps, conversationId, id);
  if (rows.length === 0)
    throw new HttpError(404, "not_found", "parentId: there is no such message in this conversation.");
  checkNotActive(deps, conversationId, id);
  return rows;
}

/** Nothing where there is no such message. */
const readBranch = async (
  { store }: StartDeps,
  conversationId: string,
  id: string,
): Promise<MessageRow[]> => {
  try {
    return (await store.messages.branch(conversationId, id)).rows;
  } catch (cause) {
    if (isStoreError(cause) && cause.code === "not_found") return [];
    throw cause;
  }
};

/** The user message that is answered again; `regenerate` may name it or any message of its answer. */
async function findQuestion(deps: StartDeps, conversationId: string, messageId: string): Promise<MessageRow> {
  const rows = await readBranch(deps, conversationId, messageId);
  const question = rows.findLast(isQuestion);
  if (!question)
    throw new HttpError(404, "not_found", "regenerate: there is no such message in this conversation.");
  checkNotActive(deps, conversationId, question.id);
  return question;
}

function checkNotActive(deps: StartDeps, conversationId: string, leafId: string): void {
  const active = deps.runs.ofConversation(conversationId).find(({ row }) => row.parentId === leafId);
  if (active) throw runActive({ runId: active.row.id });
}

/** Without details when the run is one of another process. */
export const runActive = (details?: { runId: string }) =>
  new HttpError(
    409,
    "run_active",
    "An answer is still being written here; stop it or wait for its end.",
    details,
  );
