import type { z } from "zod";
import type { ConversationChoice } from "@/lib/protocol/choice";
import type { StartedBy } from "@/lib/protocol/http";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { ChatBody } from "@/lib/server/contract/chat";
import type { Env } from "@/lib/server/env";
import { isConflict, isDuplicate } from "@/lib/server/http/store-failure";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { checkWritable } from "@/lib/server/runs/read-only";
import { startRun } from "@/lib/server/runs/start-run";
import { chooseModel } from "@/lib/server/settings/choose-model";
import { readLimits } from "@/lib/server/settings/limits";
import { readRules } from "@/lib/server/settings/tool-rules";
import type { QueuedRow } from "@/lib/store/queue-types";
import type { ScheduleStart } from "@/lib/store/schedule-ports";
import type { ConversationListRow, MessageRow, RunOptions, RunRow, RunStart } from "@/lib/store/types";
import { agentOfRequest } from "./agent-of-request";
import type { AskedByProgram } from "./ask-for-program";
import { findConversation } from "./conversations";
import { findStart, runActive, type Start } from "./find-start";
import { findUsed } from "./find-used";
import { chainsBehind, findWaiting, type Waited } from "./from-queue";
import { isBeginning, newChoice } from "./named-choice";

/** What sending a message needs beside what its run needs. */
export interface ChatDeps extends RunDeps {
  files: AttachmentFiles;
  env: Pick<Env, "AGENTS_DIR" | "SKILLS_DIR" | "TOOL_APPROVAL">;
}

export type ChatRequest = z.output<typeof ChatBody> & {
  /** The first question of a comparison that this one is asked beside. */
  beside?: MessageRow;
  /** The question is a program's. */
  program?: AskedByProgram;
  /** It is asked without a person, in a new conversation of that name. */
  startedBy?: StartedBy;
  /** What is kept of the schedule together with the run. */
  schedule?: ScheduleStart;
};

/** Stores the message and starts the run that answers it, or finds the run that the same `clientMessageId` started. */
export const chat = (deps: ChatDeps, userId: string, request: ChatRequest): Promise<RunRow> =>
  deps.turns.run(turnOf(userId, request), () => send(deps, userId, request));

/** What requests about the same conversation wait under; a message that begins one has only its own name. */
export const turnOf = (userId: string, { conversationId, clientMessageId }: ChatRequest): string =>
  conversationId ?? `${userId}:${clientMessageId ?? newId()}`;

/** As `chat`, by who has the turn. */
export function send(deps: ChatDeps, userId: string, request: ChatRequest): Promise<RunRow> {
  return start(deps, userId, request).catch(async (cause) => {
    if (isConflict(cause)) throw runActive();
    // Another process has stored the same message since this one looked.
    const sent = isDuplicate(cause) ? await findSent(deps, userId, request) : undefined;
    if (!sent?.run) throw cause;
    return sent.run;
  });
}

async function start(deps: ChatDeps, userId: string, request: ChatRequest): Promise<RunRow> {
  const sent = await findSent(deps, userId, request);
  return sent?.run ?? deps.runs.admit(() => begin(deps, userId, request, sent), userId);
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
  checkWritable(conversation);
  const queued = waited?.message ?? (await findWaiting(deps, userId, request, conversation));
  const taken = queued?.runId ? await deps.store.runs.get(userId, queued.runId) : undefined;
  if (taken) return taken;
  const { named, project, given, used } = await findUsed(deps, userId, request, conversation);
  const model = await chooseModel(deps, userId, used.model);
  const workflow =
    request.agent === undefined ? given.workflow : await agentOfRequest(deps, request.agent, request);
  const place: Start = sent ?? (await findStart(deps, userId, request, conversation, queued));
  const { question, parentId = question.id, before, rerun } = place;
  // Which of several models goes on is chosen when they have answered.
  const choice = request.compare ? undefined : newChoice(named, conversation);
  const begin = {
    ...place.begin,
    ...(choice && { choice }),
    ...(await fromQueue(deps, conversation, { queued, waited, place })),
    ...(request.beside && { leaf: { stays: true } }),
    ...(request.schedule && { schedule: request.schedule }),
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
      ...((await wantsPlan(deps, userId, request)) && { plan: true }),
      ...(given.assistant && { assistant: given.assistant }),
      ...(!isBeginning(conversation) &&
        named.instructions !== undefined && { instructions: named.instructions }),
      ...(workflow && { workflow }),
      ...(rerun && { rerun }),
      ...(request.compare && { comparison: request.beside?.id ?? question.id }),
      ...(request.program && { program: request.program.options }),
      ...(request.startedBy && { startedBy: request.startedBy }),
    },
    ...(request.program && !request.program.isKept && { origin: "v1" as const }),
    tokenId: request.program?.tokenId,
    instructions: used.instructions ?? "",
    projectId: project.id,
    context: conversation?.choice?.context ?? {},
    agent: workflow?.name ?? null,
    begin,
    ...(before && { before }),
  });
}

/** The person says it, else a rule of theirs; who asks for a program is there to approve none. */
async function wantsPlan(
  deps: ChatDeps,
  userId: string,
  { options, program }: ChatRequest,
): Promise<boolean> {
  if (program) return false;
  return options?.plan ?? (await readRules(deps, userId)).some(({ effect }) => effect === "plan");
}

/** What becomes of the queue together with the run: what has waited is asked, and the rest waits behind it. */
async function fromQueue(
  deps: ChatDeps,
  conversation: ConversationListRow | undefined,
  { queued, waited, place }: { queued: QueuedRow | undefined; waited: Waited | undefined; place: Start },
): Promise<Pick<RunStart, "queued" | "adopts" | "leaf">> {
  const adopts = waited?.adopts ?? (await chainsBehind(deps, conversation, place));
  const told = waited && { follows: waited.follows, message: waited.message.message };
  const stays = waited?.isOwnTurn && conversation?.leafId !== place.question.parentId;
  return {
    ...(queued && { queued: { id: queued.id, ...told } }),
    ...(adopts.length > 0 && { adopts }),
    ...(stays && { leaf: { stays } }),
  };
}

/** The message that was stored under this `clientMessageId`, and the run that answers it, or that has read it. */
async function findSent({ store }: ChatDeps, userId: string, { clientMessageId }: ChatRequest) {
  if (!clientMessageId) return undefined;
  const question = await store.messages.findByClientId(userId, clientMessageId);
  if (!question) return undefined;
  const reader = question.runId === null ? undefined : await store.runs.get(userId, question.runId);
  if (reader) return { question, run: reader };
  return { question, run: (await store.runs.ofMessage(question.conversationId, question.id)).at(0) };
}

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
    ...(options?.step && { step: true }),
    ...(options?.recordWire !== undefined && { recordWire: options.recordWire }),
    ...(servers && { servers: [...servers] }),
    ...(deferred && { deferred: { ...deferred } }),
  };
}
