import type { z } from "zod";
import { firstNamed } from "@/lib/protocol/choice";
import type { ConversationChoice } from "@/lib/protocol/http";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { attachedParts } from "@/lib/server/attachments/attachments";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { Env } from "@/lib/server/env";
import { HttpError } from "@/lib/server/http/errors";
import { isConflict, isStoreError } from "@/lib/server/http/store-failure";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { closeWaiting } from "@/lib/server/runs/close-waiting";
import { type RunRequest, startRun } from "@/lib/server/runs/start-run";
import { chooseModel } from "@/lib/server/settings/choose-model";
import { readLimits } from "@/lib/server/settings/limits";
import { textOfQuestion, titleFrom, untitled } from "@/lib/server/title";
import type {
  ConversationListRow,
  MessageRow,
  QueuedRow,
  RunOptions,
  RunRow,
  RunStart,
} from "@/lib/store/types";
import { agentOfRequest } from "./agent-of-request";
import { findConversation } from "./conversations";
import { fromAssistant } from "./from-assistant";
import { fromProject } from "./from-project";
import { chainsBehind, findWaiting, type Waited } from "./from-queue";
import { isBeginning, namedIn, newChoice } from "./named-choice";
import { type Again, runAgain } from "./run-again";

/** What sending a message needs beside what its run needs. */
export interface ChatDeps extends RunDeps {
  files: AttachmentFiles;
  env: Pick<Env, "AGENTS_DIR" | "TOOL_APPROVAL">;
}

type ChatRequest = z.output<typeof ChatBody>;

/** Stores the message and starts the run that answers it, or finds the run that the same `clientMessageId` started. */
export function chat(deps: ChatDeps, userId: string, request: ChatRequest): Promise<RunRow> {
  // A message that begins a conversation has only its own name to wait under.
  const key = request.conversationId ?? `${userId}:${request.clientMessageId ?? newId()}`;
  return deps.turns.run(key, () =>
    start(deps, userId, request).catch(async (cause) => {
      if (isConflict(cause)) throw runActive();
      // Another process has stored the same message since this one looked.
      const isSent = isStoreError(cause) && cause.code === "duplicate";
      const sent = isSent ? await findSent(deps, userId, request) : undefined;
      if (!sent?.run) throw cause;
      return sent.run;
    }),
  );
}

async function start(deps: ChatDeps, userId: string, request: ChatRequest): Promise<RunRow> {
  const sent = await findSent(deps, userId, request);
  return sent?.run ?? deps.runs.admit(() => begin(deps, userId, request, sent));
}

/** Starts the run that answers a message: that of the request, one that was stored before, or one that has waited. */
export async function begin(
  deps: ChatDeps,
  userId: string,
  request: ChatRequest,
  sent: Start | undefined,
  waited?: Waited,
): Promise<RunRow> {
  const conversationId = sent?.question.conversationId ?? request.conversationId;
  const conversation =
    conversationId === undefined ? undefined : await findConversation(deps, userId, conversationId);
  const queued = waited?.message ?? (await findWaiting(deps, userId, request, conversation));
  const taken = queued?.runId ? await deps.store.runs.get(userId, queued.runId) : undefined;
  if (taken) return taken;
  const named = namedIn(request);
  const said = firstNamed(named, conversation?.choice);
  const project = await fromProject(deps, userId, request, conversation);
  const given = await fromAssistant(deps, userId, request, firstNamed(said, project.assistant));
  const used = firstNamed(said, given.choice, project.choice);
  const model = await chooseModel(deps, userId, used.model);
  const workflow =
    request.agent === undefined ? given.workflow : await agentOfRequest(deps, request.agent, request);
  const place: Start = sent ?? (await findStart(deps, userId, request, conversation, queued));
  const { question, parentId = question.id, before, rerun } = place;
  const choice = newChoice(named, conversation);
  const adopts = waited?.adopts ?? (await chainsBehind(deps, conversation, place));
  const begin: RunStart = {
    ...place.begin,
    ...(choice && { choice }),
    ...(queued && {
      queued: { id: queued.id, ...(waited && { follows: waited.follows, message: queued.message }) },
    }),
    ...(adopts.length > 0 && { adopts }),
  };
  return startRun(deps, {
    userId,
    conversationId: question.conversationId,
    messageId: question.id,
    parentId,
    model,
    options: {
      ...(await readLimits(deps, userId)),
      ...toOptions(request, used),
      ...(given.assistant && { assistant: given.assistant }),
      ...(!isBeginning(conversation) &&
        named.instructions !== undefined && { instructions: named.instructions }),
      ...(workflow && { workflow }),
      ...(rerun && { rerun }),
    },
    instructions: used.instructions ?? "",
    projectId: project.id,
    agent: workflow?.name ?? null,
    begin,
    ...(before && { before }),
  });
}

/** The message that was stored under this `clientMessageId`, and the run that answers it. */
async function findSent({ store }: ChatDeps, userId: string, { clientMessageId }: ChatRequest) {
  if (!clientMessageId) return undefined;
  const question = await store.messages.findByClientId(userId, clientMessageId);
  if (!question) return undefined;
  return { question, run: (await store.runs.ofMessage(question.conversationId, question.id)).at(0) };
}

/** What a run answers, where it hangs if not there, and what is stored together with it. */
type Start = Pick<Again, "question"> &
  Partial<Again> &
  Pick<RunRequest, "before"> & { branch?: readonly MessageRow[] };

async function findStart(
  deps: ChatDeps,
  userId: string,
  request: ChatRequest,
  conversation: ConversationListRow | undefined,
  queued: QueuedRow | undefined,
): Promise<Start> {
  const { regenerate, fromCall } = request;
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
  deps: ChatDeps,
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
  if (!known) conversation.title = title;
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
async function findBranch(deps: ChatDeps, conversationId: string, id: string): Promise<MessageRow[]> {
  const rows = await readBranch(deps, conversationId, id);
  if (rows.length === 0)
    throw new HttpError(404, "not_found", "parentId: there is no such message in this conversation.");
  checkNotActive(deps, conversationId, id);
  return rows;
}

/** Nothing where there is no such message. */
const readBranch = async ({ store }: ChatDeps, conversationId: string, id: string): Promise<MessageRow[]> => {
  try {
    return (await store.messages.branch(conversationId, id)).rows;
  } catch (cause) {
    if (isStoreError(cause) && cause.code === "not_found") return [];
    throw cause;
  }
};

/** The user message that is answered again; `regenerate` may name it or any message of its answer. */
async function findQuestion(deps: ChatDeps, conversationId: string, messageId: string): Promise<MessageRow> {
  const rows = await readBranch(deps, conversationId, messageId);
  const question = rows.findLast(isQuestion);
  if (!question)
    throw new HttpError(404, "not_found", "regenerate: there is no such message in this conversation.");
  checkNotActive(deps, conversationId, question.id);
  return question;
}

function checkNotActive(deps: ChatDeps, conversationId: string, leafId: string): void {
  const active = deps.runs.ofConversation(conversationId).find(({ row }) => row.parentId === leafId);
  if (active) throw runActive({ runId: active.row.id });
}

/** Without details when the run is one of another process. */
const runActive = (details?: { runId: string }) =>
  new HttpError(
    409,
    "run_active",
    "An answer is still being written here; stop it or wait for its end.",
    details,
  );

function toOptions({ options }: ChatRequest, { effort, servers, deferred }: ConversationChoice): RunOptions {
  return {
    ...(options?.maxIterations !== undefined && { maxIterations: options.maxIterations }),
    ...(options?.timeoutMs !== undefined && { timeoutMs: options.timeoutMs }),
    ...(options?.budget && { budget: options.budget }),
    ...(options?.responseSchema && { responseSchema: options.responseSchema }),
    ...(options?.toolExecution && { toolExecution: options.toolExecution }),
    ...(effort && { effort }),
    ...(options?.temperature !== undefined && { temperature: options.temperature }),
    ...(options?.maxOutputTokens !== undefined && { maxOutputTokens: options.maxOutputTokens }),
    ...(servers && { servers: [...servers] }),
    ...(deferred && { deferred: { ...deferred } }),
  };
}
