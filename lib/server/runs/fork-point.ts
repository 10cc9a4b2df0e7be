import type { Chunk } from "@/lib/protocol/chunk";
import { type ForkStep, findStep, type RoundOutcome } from "@/lib/protocol/fork";
import { openToolCalls } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolResult } from "@/lib/protocol/message";
import { openCalls } from "@/lib/protocol/open-calls";
import { HttpError, notFound } from "@/lib/server/http/errors";
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
  /** The log of the run, and the history that it began with. */
  log: Chunk[];
  base: ChatMessage[];
  /** What became of the calls that have no result of their own at the step. 409 while they are under way. */
  readOutcome: () => Promise<RoundOutcome>;
}

/** 400 where the event is no end of a step. */
export async function readForkPoint(deps: RunDeps, row: RunRow, seq: number): Promise<ForkPoint> {
  await completeLog(deps, row);
  const { rows } = await deps.store.messages.branch(row.conversationId, row.parentId);
  const at = rows.findIndex(({ id }) => id === row.messageId);
  const question = rows[at];
  if (!question) throw notFound("message");
  const base = rows.map(({ message }) => message);
  const log = (await readWholeLog(deps, row.id)).map(({ data }) => data);
  const step = findStep(base, log, seq);
  if (!("kind" in step))
    throw new HttpError(
      400,
      "not_a_step",
      "afterSeq: neither a turn of the model nor a whole round of calls ends with this event; the details name the nearest ones that do.",
      step,
    );
  const own = step.delta.map((message): AnswerMessage => ({ message, runId: row.id, model: row.model }));
  const answer = [...rows.slice(at + 1), ...own];
  return {
    ...{ question, before: rows.slice(0, at + 1), answer, step, log, base },
    async readOutcome() {
      const told = answer.map(({ message }) => message);
      const open = openToolCalls(told);
      if (open.length === 0 && !told.some(hasCutShort)) return noOutcome;
      const { later, isLive } = await readLater(deps, row);
      const outcome = outcomeIn([...log, ...later]);
      if (isLive && open.some(({ id }) => !outcome.results.has(id)))
        throw underWay(stepBefore(base, log, seq));
      return outcome;
    },
  };
}

export const noOutcome: RoundOutcome = { results: new Map(), sent: new Set() };

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

function stepBefore(base: readonly ChatMessage[], log: readonly Chunk[], seq: number): number | null {
  const step = findStep(base, log, seq - 1);
  return "kind" in step ? seq - 1 : step.before;
}

/** What its log calls unsent may be sent at this moment: the fork would send it a second time. */
const underWay = (before: number | null) =>
  new HttpError(
    409,
    "run_active",
    "afterSeq: calls of this round are under way; fork at its end once they have ended, or at the step before it, which the details name.",
    { before },
  );

/** The last result counts: of a call whose outcome was not known, the one that it got when the run was resumed. */
function outcomeIn(log: readonly Chunk[]): RoundOutcome {
  const results = new Map<ToolCallId, ToolResult>();
  for (const chunk of log)
    if (chunk.type === "tool_result" && chunk.agent === undefined) results.set(chunk.result.id, chunk.result);
  const sent = [...openCalls(log)].flatMap(([id, call]) => (call.sent ? id : []));
  return { results, sent: new Set(sent) };
}
