import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import type { RoundOutcome } from "@/lib/protocol/fork";
import { type ForkStep, findAgentStep, findStep, type NearestSteps } from "@/lib/protocol/fork-step";
import { openToolCalls } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolResult } from "@/lib/protocol/message";
import { openCalls } from "@/lib/protocol/open-calls";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { isModelAgent } from "@/lib/server/loop/agent-path";
import { readPast } from "@/lib/server/loop/chain";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { completeLog, readWholeLog } from "@/lib/server/loop/stored-run";
import { chainOf } from "@/lib/store/run-chain";
import type { MessageRow, RunRow } from "@/lib/store/types";

/** A message of an answer, with the run that brought it. */
export interface AnswerMessage {
  message: ChatMessage;
  runId: string | null;
  model: string | null;
}

/** A run at one of its steps. */
export interface ForkPoint {
  question: MessageRow;
  /** The messages up to the question. */
  before: MessageRow[];
  /** What answers it up to the step. */
  answer: AnswerMessage[];
  step: ForkStep;
  log: Chunk[];
  /** Of a workflow: the logs of the runs that this one continues. */
  past: StepChunk[];
  /** The step that an event of the log ends. */
  find(seq: number): ForkStep | NearestSteps;
  /** What became of the calls that have no result of their own at the step. 409 while they are under way. */
  readOutcome: () => Promise<LaterOutcome>;
}

/** 400 where the event is no end of a step. */
export async function readForkPoint(deps: RunDeps, row: RunRow, seq: number): Promise<ForkPoint> {
  await completeLog(deps, row);
  const { rows } = await deps.store.messages.branch(row.conversationId, row.parentId);
  const at = rows.findIndex(({ id }) => id === row.messageId);
  const question = rows[at];
  if (!question) throw notFound("message");
  const log = (await readWholeLog(deps, row.id)).map(({ data }) => data);
  checkCopies(row, log);
  const past = row.agent === null ? [] : await readPast(deps, row);
  checkAgent(row, log[seq - 1]);
  const find = finder(row, rows, log, past);
  const step = find(seq);
  if (!("kind" in step))
    throw new HttpError(
      400,
      "not_a_step",
      "afterSeq: neither a turn of the model nor a whole round of calls ends with this event; the details name the nearest ones that do.",
      step,
    );
  const own = step.delta.map((message): AnswerMessage => ({ message, runId: row.id, model: row.model }));
  // What an agent of a workflow has said begins with it.
  const answer = row.agent === null ? [...rows.slice(at + 1), ...own] : own;
  return {
    ...{ question, before: rows.slice(0, at + 1), answer, step, log, past, find },
    async readOutcome() {
      const told = answer.map(({ message }) => message);
      const open = openToolCalls(told);
      if (row.agent === null && open.length === 0 && !told.some(hasCutShort)) return noOutcome;
      const { later, isLive } = await readLater(deps, row);
      const outcome = outcomeIn([...past, ...log, ...later], row.agent !== null);
      if (isLive && open.some(({ id }) => !outcome.results.has(id))) throw underWay(stepBefore(find, seq));
      return { ...outcome, isLive, later };
    },
  };
}

function finder(
  { agent, options }: RunRow,
  rows: readonly MessageRow[],
  log: readonly Chunk[],
  past: readonly StepChunk[],
): ForkPoint["find"] {
  if (agent !== null) {
    const canFork = (path: string) => isModelAgent(options.workflow, path);
    return (seq) => findAgentStep(log, seq, { past, canFork });
  }
  const base = rows.map(({ message }) => message);
  return (seq) => findStep(base, log, seq);
}

/** What an agent in TypeScript does is its own; nobody but it could go on from its middle. */
function checkAgent({ agent, options }: RunRow, at: Chunk | undefined): void {
  const isTurn = at?.type === "usage" && at.stopReason !== undefined;
  if (agent === null || !isTurn || at.agent === undefined || at.agent.includes("#")) return;
  if (isModelAgent(options.workflow, at.agent)) return;
  throw new HttpError(
    422,
    "not_supported",
    "afterSeq: no model has written this, but an agent in TypeScript; fork at a step of an agent that asks a model.",
  );
}

/** A crash in the first moment of a fork: what it lacks would be done a second time. */
export function checkCopies({ options }: RunRow, log: readonly unknown[]): void {
  if (log.length < (options.forkedFrom?.copied ?? 0))
    throw new HttpError(
      422,
      "not_supported",
      "The server stopped before what this fork begins with was stored; fork its origin again.",
    );
}

export interface LaterOutcome extends RoundOutcome {
  /** What the runs say that continue this one, and whether one of these or this one goes on. */
  later: readonly Chunk[];
  isLive: boolean;
}

export const noOutcome: LaterOutcome = { results: new Map(), sent: new Set(), later: [], isLive: false };

const hasCutShort = (message: ChatMessage): boolean =>
  message.role === "tool" && message.results.some(({ reason }) => reason === "cut_short");

/** The logs of the runs that continue this one, and whether one of these or this one goes on. */
async function readLater(deps: RunDeps, row: RunRow): Promise<{ later: Chunk[]; isLive: boolean }> {
  const runs = chainOf(await deps.store.runs.ofMessage(row.conversationId, row.messageId), row.id);
  const from = runs.slice(runs.findIndex(({ id }) => id === row.id));
  const logs = await Promise.all(from.slice(1).map(({ id }) => readWholeLog(deps, id)));
  return {
    later: logs.flatMap((events) => events.map(({ data }) => data)),
    isLive: from.some(({ status }) => status === "running"),
  };
}

export function stepBefore(find: ForkPoint["find"], seq: number): number | null {
  const step = find(seq - 1);
  return "kind" in step ? seq - 1 : step.before;
}

/** What its log calls unsent may be sent at this moment: the fork would send it a second time. */
export const underWay = (before: number | null) =>
  new HttpError(
    409,
    "run_active",
    "afterSeq: calls of this round are under way; fork at its end once they have ended, or at the step before it, which the details name.",
    { before },
  );

/** The last result counts: of a call whose outcome was not known, the one that it got when the run was resumed. */
function outcomeIn(log: readonly Chunk[], ofAgents: boolean): RoundOutcome {
  const results = new Map<ToolCallId, ToolResult>();
  for (const chunk of log)
    if (chunk.type === "tool_result" && (chunk.agent !== undefined) === ofAgents)
      results.set(chunk.result.id, chunk.result);
  const sent = [...openCalls(log)].flatMap(([id, call]) => (call.sent ? id : []));
  return { results, sent: new Set(sent) };
}
