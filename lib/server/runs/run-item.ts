import type { Chunk } from "@/lib/protocol/chunk";
import type { ForkOrigin } from "@/lib/protocol/fork";
import type { RunItem, RunToolCall } from "@/lib/protocol/http";
import { pendingRequests } from "@/lib/protocol/pending-requests";
import { redact } from "@/lib/protocol/redact";
import { answeredCalls, timeline } from "@/lib/protocol/timeline";
import { notFound } from "@/lib/server/http/errors";
import { readCallsBefore, readChain } from "@/lib/server/loop/chain";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readReadable, readWholeLog } from "@/lib/server/loop/stored-run";
import { textOfQuestion, titleFrom } from "@/lib/server/title";
import { chainOf } from "@/lib/store/run-chain";
import type { RunRow } from "@/lib/store/types";

export async function findRun(deps: RunDeps, userId: string, id: string): Promise<RunRow> {
  const row = await deps.store.runs.get(userId, id);
  if (!row) throw notFound("run");
  return row;
}

/**
 * A run as the API shows it. The log is read only for one that waits or continues another, or that another process drives; a
 * live one is told from memory.
 */
export async function toRunItem(deps: RunDeps, row: RunRow): Promise<RunItem> {
  const live = deps.runs.get(row.id);
  const log = live?.chunks ?? (goesOn(row) || !hasEnded(row) ? await readChunks(deps, row.id) : []);
  return {
    ...(await toHead(deps, row, log)),
    iterations: iterationsOf(deps, row, log),
    answeredCalls: goesOn(row) ? await readAnsweredCalls(deps, row, log) : [],
  };
}

/** The same without its loops, which only the log of a run that waits or goes on elsewhere is read for. */
export async function toListedRun(deps: RunDeps, row: RunRow): Promise<RunHead> {
  const live = deps.runs.get(row.id);
  return toHead(deps, row, live?.chunks ?? (hasEnded(row) ? [] : await readChunks(deps, row.id)));
}

const hasEnded = ({ status }: RunRow) => status !== "running" && status !== "waiting";

/** The record of one that goes on has none. */
const iterationsOf = ({ runs }: RunDeps, row: RunRow, log: readonly Chunk[]): RunItem["iterations"] =>
  row.status === "running" || runs.get(row.id) ? timeline(log) : row.iterations;

type RunHead = Omit<RunItem, "iterations" | "answeredCalls">;

async function toHead(deps: RunDeps, row: RunRow, log: readonly Chunk[]): Promise<RunHead> {
  const live = deps.runs.get(row.id);
  return {
    id: row.id,
    conversationId: row.conversationId,
    messageId: row.messageId,
    parentId: row.parentId,
    status: row.status,
    model: row.model,
    agent: row.agent,
    continues: row.continues,
    startedAt: new Date(row.startedAt).toISOString(),
    endedAt: row.endedAt === null ? null : new Date(row.endedAt).toISOString(),
    ...(row.result?.steps && { steps: row.result.steps }),
    ...(row.options.comparison && { comparison: row.options.comparison }),
    ...(row.options.gateway && { gateway: row.options.gateway.client }),
    ...programOf(row),
    ...(row.options.startedBy && { startedBy: row.options.startedBy }),
    ...takenBack(log),
    stopReason: row.result?.stopReason ?? null,
    usage: row.result?.usage ?? sumUsage(iterationsOf(deps, row, log)),
    error: row.result?.error ?? null,
    ...(live ? { pending: pendingRequests(log) } : await openQuestions(deps, row, log)),
  };
}

function programOf({ options: { program } }: RunRow): Pick<RunItem, "program"> {
  return program ? { program: { wire: program.wire, client: program.client ?? null } } : {};
}

/** A run with its loops and what stands round it: its question and answer, what it was forked from, and the runs that go on from it. */
export async function toRunDetail(deps: RunDeps, row: RunRow): Promise<RunItem> {
  const answers = await deps.store.runs.ofMessage(row.conversationId, row.messageId);
  const forkedFrom = originOf(row);
  const { tape, matrix } = row.options;
  const conversation = await deps.store.conversations.get(row.userId, row.conversationId);
  return {
    ...(await toRunItem(deps, row)),
    ...(forkedFrom && { forkedFrom }),
    forks: await forksOf(deps, row, answers),
    plan: await planOf(deps, row),
    ...(tape && { rerunOf: { runId: tape.runId, tape: tape.misses } }),
    ...(matrix !== undefined && { matrix }),
    ...(await matricesOf(deps, row, answers)),
    ...(conversation?.readOnly && { readOnly: true as const }),
    continuedBy: answers.find(({ continues }) => continues === row.id)?.id ?? null,
    question: await questionOf(deps, row),
    answerId: await findAnswer(deps, row),
  };
}

/** As many are told of. */
const maxMatrices = 5;

async function matricesOf(
  { store }: RunDeps,
  { id, userId }: RunRow,
  answers: readonly RunRow[],
): Promise<Pick<RunItem, "matrices">> {
  const ids = chainOf(answers, id).map((run) => run.id);
  const rows = await store.matrices.ofRecording(userId, ids, maxMatrices);
  if (rows.length === 0) return {};
  return {
    matrices: rows.map(({ createdAt, ...row }) => ({ ...row, createdAt: new Date(createdAt).toISOString() })),
  };
}

/** Logs are read only where a plan may have been proposed. */
export async function planOf(deps: RunDeps, row: RunRow): Promise<NonNullable<RunItem["plan"]> | null> {
  const live = deps.runs.get(row.id);
  if (live) return live.chain.plan.current ?? null;
  if (row.options.plan !== true) return null;
  const { plan } = await readChain(deps, row, readReadable);
  for (const answer of await deps.store.runs.answers(row.id)) plan.add(answer);
  return plan.current ?? null;
}

/** Only a run that goes on from another can take a plan back. */
function takenBack(log: readonly Chunk[]): Pick<RunItem, "takenBack"> {
  const id = log.findLast((chunk) => chunk.type === "answer" && chunk.answer.takesBack !== undefined);
  return id?.type === "answer" && id.answer.takesBack !== undefined ? { takenBack: id.answer.takesBack } : {};
}

/** Among the runs of the same question, and in other conversations. */
export async function forksOf(
  { store }: Pick<RunDeps, "store">,
  row: RunRow,
  answers: readonly Pick<RunRow, "id" | "continues" | "options">[],
): Promise<NonNullable<RunItem["forks"]>> {
  const elsewhere = await store.runs.forksElsewhere(row);
  return [...answers, ...elsewhere].flatMap((each) => {
    const origin = originOf(each);
    return origin?.runId === row.id ? { runId: each.id, seq: origin.seq } : [];
  });
}

/** The first words of the question; none where it cannot be read: the run is still shown. */
export async function questionOf(deps: RunDeps, row: RunRow): Promise<string> {
  return readable(deps, row, "", async () => {
    const asked = (await deps.store.messages.get(row.conversationId, row.messageId))?.message;
    return asked?.role === "user" ? titleFrom(textOfQuestion(asked.parts)) : "";
  });
}

async function findAnswer(deps: RunDeps, row: RunRow): Promise<string | null> {
  const { conversationId, parentId } = row;
  return readable(deps, row, null, async () => {
    const children = (await deps.store.messages.children(conversationId, [parentId])).get(parentId) ?? [];
    const first = await Promise.all(children.map((child) => deps.store.messages.get(conversationId, child)));
    return first.find((message) => message?.runId === row.id)?.id ?? null;
  });
}

async function readable<Value>(
  { log }: RunDeps,
  { id }: RunRow,
  otherwise: Value,
  read: () => Promise<Value>,
): Promise<Value> {
  try {
    return await read();
  } catch (err) {
    log.error({ err, runId: id }, "the messages of a run cannot be read");
    return otherwise;
  }
}

/** Of the fork itself, not of those that continue it. */
export const originOf = ({
  continues,
  options,
}: Pick<RunRow, "continues" | "options">): ForkOrigin | undefined =>
  continues === null ? options.forkedFrom : undefined;

/** Whether it may answer calls that it has not asked for itself. */
const goesOn = ({ continues, options }: RunRow) =>
  continues !== null || options.rerun !== undefined || options.forkedFrom !== undefined;

/** Whether a call was sent before this run is said by the logs that it continues; they are read where it matters. */
async function readAnsweredCalls(
  deps: RunDeps,
  { continues, userId }: RunRow,
  log: readonly Chunk[],
): Promise<RunToolCall[]> {
  const calls = answeredCalls(log, new Map());
  // What was sent before is never "denied".
  const unclear = calls.filter(({ startedAt, status }) => startedAt === null && status !== "denied");
  if (continues === null || unclear.length === 0) return calls;
  const before = await deps.store.runs.get(userId, continues);
  const sought = unclear.map(({ id }) => id);
  const open = await readCallsBefore(deps, before, sought);
  return answeredCalls(log, open);
}

async function readChunks(deps: RunDeps, runId: string): Promise<Chunk[]> {
  return (await readWholeLog(deps, runId)).map(({ data }) => data);
}

/** Those of a run that goes on or waits, less those that are answered while others are open. */
async function openQuestions(
  deps: RunDeps,
  { id, status }: RunRow,
  log: readonly Chunk[],
): Promise<Pick<RunItem, "pending" | "answers">> {
  if (status !== "waiting") return { pending: status === "running" ? pendingRequests(log) : [] };
  const kept = await deps.store.runs.answers(id);
  return {
    pending: pendingRequests([...log, ...kept]),
    ...(kept.length > 0 && { answers: kept.map((answer) => redact(answer) as typeof answer) }),
  };
}

function sumUsage(iterations: RunItem["iterations"]): RunItem["usage"] {
  const total = { inputTokens: 0, outputTokens: 0 };
  for (const { usage } of iterations) {
    total.inputTokens += usage.inputTokens;
    total.outputTokens += usage.outputTokens;
  }
  return total;
}
