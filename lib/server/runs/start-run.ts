import { ChosenContext } from "@/lib/agent/chosen-context";
import { LoopStop } from "@/lib/agent/ports";
import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import type { ContextChoices } from "@/lib/protocol/context-choice";
import { openToolCalls } from "@/lib/protocol/history";
import type { RunOrigin } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { statusAfter } from "@/lib/protocol/run-status";
import { isStoreError } from "@/lib/server/http/store-failure";
import { newIdLike } from "@/lib/server/ids";
import { readChain } from "@/lib/server/loop/chain";
import { driveRun } from "@/lib/server/loop/drive-run";
import { EndRetry } from "@/lib/server/loop/end-retry";
import { LiveRun } from "@/lib/server/loop/live-run";
import { tooManyRuns } from "@/lib/server/loop/live-runs";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import { lastMessageOf } from "@/lib/server/loop/stored-run";
import { titleByModel } from "@/lib/server/loop/title-by-model";
import { modelToGoOn } from "@/lib/server/settings/choose-model";
import type { AnswerChunk, MessageRow, RunOptions, RunRow, RunStart } from "@/lib/store/types";
import { goOnToWaiting } from "./waiting-messages";

export interface RunRequest {
  userId: string;
  conversationId: string;
  /** The user message it answers. */
  messageId: string;
  /** Where its first message hangs: the user message, or the last message of the run it continues. */
  parentId: string;
  model: string;
  options: RunOptions;
  /** Those of the conversation, where they have been read. */
  instructions?: string;
  /** The project of the conversation, where it has been read; null for none. */
  projectId?: string | null;
  /** What was chosen for parts of the context, where it has been read. */
  context?: ContextChoices;
  /** Name of the workflow agent in `options.workflow`. */
  agent?: string | null;
  /** What is stored together with the run, all or none. */
  begin?: RunStart;
  /** The messages before those that it begins with, where they have been read. */
  before?: readonly MessageRow[];
  continues?: RunRow;
  /** The program that has begun it; a continuing run has that of the one before. */
  origin?: RunOrigin;
  /** The API token that the program has come with. */
  tokenId?: string | undefined;
  /** First chunks of a continuing run. */
  answers?: AnswerChunk[];
  /** First chunks of the fork of a workflow. */
  copies?: readonly StepChunk[];
  /** Given the run before anything of it happens. */
  onBegun?: (run: LiveRun) => void;
}

/** With more of them a turn of the event loop, which the news that the disk has written waits for, takes longer than the disk. */
const fewRuns = 32;

/**
 * Stores the run and starts it as a separate task, which the disk may still be written for; resolves when it is stored for good. Readers do
 * not affect it.
 */
export async function startRun(deps: RunDeps, request: RunRequest): Promise<RunRow> {
  deps.providers.provider(request.model); // throws for a model that is not there, before anything is stored
  const row = newRow(request);
  const chain = await readChain(deps, request.continues);
  const { rows, onlyQuestion } = await readHistory(deps, row, request);
  const history = rows.map(({ message }) => message);
  const context = await readContext(deps, request);
  const { copies = [] } = request;
  const isOpen = row.agent === null ? isOpenIn(history) : isOpenAfter([...chain.past, ...copies]);
  row.options = withContext(withoutSpent(row.options, isOpen), context);
  const run = new LiveRun(row, deps.store.log, chain, new ChosenContext(context, rows));
  // A call that waited can ask for what an earlier run left out.
  run.chosen.keepLeftOut(run.archive, run.chosen.apply(history).messages);
  run.copies = copies;
  run.instructions = request.instructions;
  run.projectId = request.projectId;
  if (request.begin?.adopts) run.expectMessages();
  const start = () => {
    deps.runs.add(run);
    request.onBegun?.(run);
    void drive(deps, run, history, { answers: request.answers ?? [], onlyQuestion });
  };
  run.durable =
    deps.runs.count < fewRuns
      ? beginStored(deps, row, request.begin, start)
      : beginStored(deps, row, request.begin).then(start);
  await run.durable.catch((cause) => {
    run.abort.abort(new LoopStop("interrupted"));
    throw cause;
  });
  return row;
}

function newRow(request: RunRequest): RunRow {
  const origin = request.origin ?? request.continues?.origin;
  const tokenId = request.tokenId ?? request.continues?.tokenId;
  return {
    id: newIdLike(request.conversationId),
    conversationId: request.conversationId,
    userId: request.userId,
    messageId: request.messageId,
    parentId: request.parentId,
    status: "running",
    model: request.model,
    agent: request.agent ?? request.continues?.agent ?? null,
    continues: request.continues?.id ?? null,
    options: request.options,
    startedAt: Date.now(),
    endedAt: null,
    result: null,
    iterations: [],
    ...(origin && { origin }),
    ...(tokenId !== undefined && { tokenId }),
  };
}

/** To its end, and to what comes after it. */
async function drive(
  deps: RunDeps,
  run: LiveRun,
  history: ChatMessage[],
  { answers, onlyQuestion }: { answers: AnswerChunk[]; onlyQuestion: ChatMessage | undefined },
): Promise<void> {
  await driveRun(deps, run, history, answers);
  if (run.isLost) return run.close();
  // Before the readers hear of the end, so that they see that a title is still to come.
  void titleByModel(deps, run, onlyQuestion);
  if (run.mayHaveQueue) await goOnToWaiting(deps, run);
  run.close();
  return goOnIfAnswered(deps, run);
}

/** What a person may have at once holds for all instances together; one that goes on was let in before. */
async function beginStored(
  { store, runs }: RunDeps,
  row: RunRow,
  begin: RunStart = {},
  onCommitted?: () => void,
): Promise<void> {
  const isCounted = store.members.mayBeMany && row.continues === null;
  const most = isCounted ? await runs.mostOf(row.userId) : Number.POSITIVE_INFINITY;
  const bound = Number.isFinite(most) ? { most } : {};
  await store.runs.begin(row, { ...begin, ...bound }, onCommitted).catch((cause) => {
    throw isStoreError(cause) && cause.code === "too_many" ? tooManyRuns(most) : cause;
  });
}

/** Of the conversation now: a run that goes on after a question takes up what was chosen meanwhile. */
async function readContext(
  { store }: RunDeps,
  { context, userId, conversationId, begin }: RunRequest,
): Promise<ContextChoices> {
  if (context || begin?.conversation) return context ?? {};
  return (await store.conversations.get(userId, conversationId))?.choice?.context ?? {};
}

/** What holds for this run stays told with it, whatever is chosen later. */
function withContext({ context: _, ...options }: RunOptions, context: ContextChoices): RunOptions {
  return Object.keys(context).length > 0 ? { ...options, context } : options;
}

/** A person's arguments are kept as long as their call has no result. */
function withoutSpent(options: RunOptions, isOpen: (id: ToolCallId) => boolean): RunOptions {
  const { editedCall, ...asked } = options;
  return editedCall && !isOpen(editedCall.id) ? asked : options;
}

const isOpenIn = (history: readonly ChatMessage[]) => (id: ToolCallId) =>
  openToolCalls(history).some((call) => call.id === id);

const isOpenAfter = (log: readonly StepChunk[]) => (id: ToolCallId) =>
  !log.some((chunk) => chunk.type === "tool_result" && chunk.result.id === id);

/**
 * The messages up to where the run hangs; those that it begins with may not be stored yet. `onlyQuestion`: the one among
 * them, as long as there is no other.
 */
async function readHistory(
  deps: RunDeps,
  row: RunRow,
  { begin = {}, before }: Pick<RunRequest, "begin" | "before">,
): Promise<{ rows: MessageRow[]; onlyQuestion: ChatMessage | undefined }> {
  const begun = [...(begin.question ? [begin.question] : []), ...(begin.messages ?? [])];
  // A workflow starts over each time, from where its first run began; its log says which steps have ended since.
  const leafId = begun[0] ? begun[0].parentId : row.agent ? row.messageId : row.parentId;
  const known = before ?? (leafId ? (await deps.store.messages.branch(row.conversationId, leafId)).rows : []);
  const rows = [...known, ...begun];
  const questions = rows.filter(isQuestion);
  return {
    rows,
    onlyQuestion: questions.length === 1 ? questions[0]?.message : undefined,
  };
}

/**
 * Continues a run that waits, with the answers that were kept for it and the last one; limits, usage and budget keep
 * counting. `conflict` when it does not wait any more or was given another answer meanwhile.
 */
export async function continueRun(
  deps: RunDeps,
  row: RunRow,
  kept: AnswerChunk[],
  last?: AnswerChunk,
): Promise<RunRow> {
  return deps.runs.admit(async () =>
    startRun(deps, {
      userId: row.userId,
      conversationId: row.conversationId,
      messageId: row.messageId,
      parentId: await lastMessageOf(deps, row),
      model: await modelToGoOn(deps, row.userId, row.model),
      options: { ...row.options, iterationsUsed: row.result?.iterationsUsed ?? 0 },
      continues: row,
      begin: { waited: { answers: kept.length } },
      answers: [...kept, ...(last ? [last] : [])],
    }),
  );
}

/**
 * An answer that came between the loop's last look and its end is in the log: the run is continued as soon as the
 * store takes it.
 */
async function goOnIfAnswered(deps: RunDeps, { row, chunks }: LiveRun): Promise<void> {
  const last = chunks.at(-1);
  if (last?.type === "result" && statusAfter(last.result.stopReason) !== "waiting") return;
  const onFault = (err: unknown) =>
    deps.log.error({ err, runId: row.id }, "an answered run cannot go on yet; it is tried again");
  await new EndRetry()
    .untilStored(() => continueAnswered(deps, row, chunks), onFault)
    .catch((err) =>
      deps.log.error(
        { err, runId: row.id },
        "an answered run could not go on; the next start tries it again",
      ),
    );
}

/** Continues a run that waits although its log holds an answer to every question. */
export async function continueAnswered(deps: RunDeps, row: RunRow, log: Iterable<Chunk>): Promise<void> {
  if (pendingRequests(log).length > 0) return;
  await deps.turns.run(row.conversationId, async () => {
    const now = await deps.store.runs.get(row.userId, row.id);
    if (now?.status === "waiting") await continueRun(deps, now, await deps.store.runs.answers(row.id));
  });
}
