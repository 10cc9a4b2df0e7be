import type { z } from "zod";
import { findAgent } from "@/lib/server/agents/agents";
import { attachedParts } from "@/lib/server/attachments/attachments";
import type { Deps } from "@/lib/server/deps";
import { HttpError, notFound } from "@/lib/server/http/errors";
import type { ChatBody } from "@/lib/server/http/schemas";
import { isStoreError } from "@/lib/server/http/store-failure";
import { newId } from "@/lib/server/ids";
import { closeWaiting } from "@/lib/server/runs/close-waiting";
import { checkCapacity, startRun } from "@/lib/server/runs/start-run";
import { chooseModel } from "@/lib/server/settings/choose-model";
import { readLimits } from "@/lib/server/settings/limits";
import type { ConversationRow, MessageRow, RunOptions, RunRow, RunStart } from "@/lib/store/types";
import { type Again, runAgain } from "./run-again";
import { titleFrom } from "./title";

type ChatRequest = z.output<typeof ChatBody>;

/** Stores the message and starts the run that answers it, or finds the run that the same `clientMessageId` started. */
export function chat(deps: Deps, userId: string, request: ChatRequest): Promise<RunRow> {
  // A message that begins a conversation has only its own name to wait under.
  const key = request.conversationId ?? `${userId}:${request.clientMessageId ?? newId()}`;
  return deps.runs.inTurn(key, () => start(deps, userId, request));
}

async function start(deps: Deps, userId: string, request: ChatRequest): Promise<RunRow> {
  const sent = request.clientMessageId
    ? await deps.store.messages.findByClientId(userId, request.clientMessageId)
    : undefined;
  const run = sent && (await deps.store.runs.ofMessage(sent.conversationId, sent.id)).at(0);
  if (run) return run;
  checkCapacity(deps);
  const model = await chooseModel(deps, userId, request.model);
  const workflow = request.agent === undefined ? undefined : await findAgent(deps, request.agent);
  const { question, rerun, ...begun } = sent ? { question: sent } : await findStart(deps, userId, request);
  return startRun(deps, {
    userId,
    conversationId: question.conversationId,
    messageId: question.id,
    parentId: question.id,
    model,
    options: {
      ...(await readLimits(deps, userId)),
      ...toOptions(request),
      ...(workflow && { workflow }),
      ...(rerun && { rerun }),
    },
    agent: workflow?.name ?? null,
    ...begun,
  });
}

/** What a run answers, where it hangs if not there, and what is stored together with it. */
type Start = Pick<Again, "question"> & Partial<Omit<Again, "begin">> & { begin?: RunStart };

async function findStart(deps: Deps, userId: string, request: ChatRequest): Promise<Start> {
  const { conversationId, regenerate, fromCall } = request;
  if (regenerate === undefined) return askQuestion(deps, userId, request);
  if (!conversationId)
    throw new HttpError(
      400,
      "invalid_input",
      "conversationId: name the conversation of the message to regenerate.",
    );
  if (fromCall !== undefined)
    return runAgain(deps, userId, { conversationId, messageId: regenerate, callId: fromCall });
  return { question: await findQuestion(deps, userId, conversationId, regenerate) };
}

/** The new message, and what of it is stored together with its run. */
async function askQuestion(deps: Deps, userId: string, request: ChatRequest): Promise<Start> {
  const text = request.message?.text ?? "";
  const known =
    request.conversationId && (await deps.store.conversations.get(userId, request.conversationId));
  if (request.conversationId && !known) throw notFound("conversation");
  const named = request.message?.attachments ?? [];
  const conversation = known || newConversation(userId, request);
  const { id: conversationId } = conversation;
  let parentId = request.parentId === undefined ? conversation.leafId : request.parentId;
  if (parentId !== null) {
    const parent = await deps.store.messages.get(conversationId, parentId);
    if (!parent)
      throw new HttpError(404, "not_found", "parentId: there is no such message in this conversation.");
    checkNotActive(deps, conversationId, parentId);
    parentId = await closeWaiting(deps, userId, parent);
  }
  const attached = await attachedParts(deps, userId, named, conversationId);
  if (!known) conversation.title = titleFrom(text || (attached[0]?.name ?? ""));
  const question: MessageRow = {
    id: newId(),
    conversationId,
    parentId,
    message: { role: "user", parts: [...attached, ...(text ? [{ type: "text" as const, text }] : [])] },
    runId: null,
    model: null,
    clientMessageId: request.clientMessageId ?? null,
    createdAt: Date.now(),
  };
  const attachments = attached.map(({ attachmentId }) => attachmentId);
  return { question, begin: { question, attachments, ...(!known && { conversation }) } };
}

/** The user message that is answered anew; `regenerate` may name it or any message of its answer. */
async function findQuestion(
  deps: Deps,
  userId: string,
  conversationId: string,
  messageId: string,
): Promise<MessageRow> {
  if (!(await deps.store.conversations.get(userId, conversationId))) throw notFound("conversation");
  const { rows } = await deps.store.messages.branch(conversationId, messageId).catch((cause) => {
    if (isStoreError(cause) && cause.code === "not_found") return { rows: [] as MessageRow[] };
    throw cause;
  });
  const question = rows.findLast(({ message }) => message.role === "user");
  if (!question)
    throw new HttpError(404, "not_found", "regenerate: there is no such message in this conversation.");
  checkNotActive(deps, conversationId, question.id);
  await deps.store.conversations.update(conversationId, { leafId: question.id, updatedAt: Date.now() });
  return question;
}

function newConversation(userId: string, { servers, deferred }: ChatRequest): ConversationRow {
  const now = Date.now();
  return {
    id: newId(),
    userId,
    title: "…",
    leafId: null,
    pinned: false,
    ...((servers || deferred) && { choice: { servers: servers ?? null, deferred: deferred ?? {} } }),
    createdAt: now,
    updatedAt: now,
  };
}

function checkNotActive(deps: Deps, conversationId: string, leafId: string): void {
  const active = deps.runs.ofConversation(conversationId).find(({ row }) => row.parentId === leafId);
  if (active)
    throw new HttpError(
      409,
      "run_active",
      "An answer is still being written here; stop it or wait for its end.",
      {
        runId: active.row.id,
      },
    );
}

function toOptions({ options, servers, deferred }: ChatRequest): RunOptions {
  return {
    ...(options?.maxIterations !== undefined && { maxIterations: options.maxIterations }),
    ...(options?.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options?.budget && { budget: options.budget }),
    ...(options?.responseSchema && { responseSchema: options.responseSchema }),
    ...(options?.toolExecution && { toolExecution: options.toolExecution }),
    ...(servers && { servers }),
    ...(deferred && { deferred }),
  };
}
