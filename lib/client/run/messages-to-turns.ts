import type { Answer } from "@/lib/protocol/answer";
import { openToolCalls } from "@/lib/protocol/history";
import type { RunItem, StoredMessage } from "@/lib/protocol/http";
import type { FilePart } from "@/lib/protocol/message";
import { statusAfter } from "@/lib/protocol/run-status";
import { type AnsweredQuestion, byQuestion, chainOf, runsBefore } from "./answer-chain";
import { filesOf, textOf } from "./message-parts";
import { reduceRun } from "./reduce-run";
import { replayRun } from "./replay-run";
import type { LoopView, RunView, ToolView } from "./run-view";

/** A question and its answer. */
export interface TurnView {
  /** Stable while the turn exists, also when a message that was shown at once gets its id. */
  key: string;
  /** Null when the page of messages begins in the middle of an answer. */
  question: QuestionView | null;
  answer: AnswerView | null;
}

export interface QuestionView {
  /** Null until the server has it. */
  id: string | null;
  parentId: string | null;
  text: string;
  files: readonly FilePart[];
  siblings: readonly string[];
}

export interface AnswerView {
  view: RunView;
  model: string | null;
  /** The workflow agent that wrote it. */
  agent?: string | null;
  /** First message of the answer: what is regenerated, and whose siblings are the other versions. */
  messageId: string | null;
  /** All versions, oldest first; without a message of its own only the others. */
  siblings: readonly string[];
  /** A person has written its last words. */
  isEdited?: boolean;
  /** Absent for one that is no fork. */
  fork?: ForkView;
}

/** What an answer says of being a fork. */
export interface ForkView {
  from: NonNullable<RunItem["forkedFrom"]>;
  /** When it was forked, epoch ms. */
  at: number;
  runId: string;
  /** Those whose messages it begins with copies of. */
  copiedRuns: readonly string[];
}

/** Whether a loop, or a call in it, is a copy from the answer that this one was forked from. */
export const isKept = (
  fork: ForkView | undefined,
  loop: Pick<LoopView, "runId" | "copied">,
  call?: Pick<ToolView, "runId" | "result" | "durationMs">,
): boolean => {
  // The log of a workflow's fork has the results of its copies without the time at which they were sent.
  if (loop.copied)
    return !call || (call.result !== null && call.result.status !== "denied" && call.durationMs === null);
  const runId = call?.runId ?? loop.runId;
  return fork !== undefined && (runId === null || fork.copiedRuns.includes(runId));
};

/**
 * Only where the log of its run has this very turn: what stands in the log of the origin is forked there, but for the
 * copies of a workflow, which its fork has. What an agent does within a call is the call's.
 */
export const canForkAt = (loop: LoopView, fork: ForkView | undefined): boolean =>
  loop.whole && loop.runId !== null && !loop.agent?.includes("#") && (loop.copied || !isKept(fork, loop));

/**
 * Messages of one branch, oldest first, as turns: a user message with the runs that answer it, a chain of
 * `continues` as one answer.
 * `known` returns the view of a run that was streamed, which is richer than a replay; `otherAnswers` are those of the
 * last question if its newest run has no message.
 */
export function messagesToTurns(
  messages: readonly StoredMessage[],
  runs: readonly RunItem[],
  known: (runId: string) => RunView | undefined = () => undefined,
  otherAnswers: readonly string[] = [],
): TurnView[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  return byQuestion(messages).map((draft, at, drafts) =>
    toTurn(draft, runs, byId, known, at === drafts.length - 1 ? otherAnswers : []),
  );
}

function toTurn(
  { question, rest }: AnsweredQuestion,
  runs: readonly RunItem[],
  byId: ReadonlyMap<string, RunItem>,
  known: (runId: string) => RunView | undefined,
  otherAnswers: readonly string[],
): TurnView {
  const chain = chainOf(question, rest, runs, byId);
  const first = rest.find((message) => message.role === "assistant");
  const fork = forkOf(chain, byId);
  return {
    key: question?.id ?? rest[0]?.id ?? "",
    question: question && toQuestion(question),
    answer:
      chain.length === 0 && rest.length === 0
        ? null
        : {
            view: viewOf(chain, rest, known),
            model: chain.at(-1)?.model ?? first?.model ?? null,
            agent: chain.at(-1)?.agent ?? null,
            messageId: first?.id ?? null,
            // Siblings of the next question are not versions of this answer.
            isEdited: isEdited(rest),
            siblings: first ? versionsOf(rest[0], first.id, question?.id) : otherAnswers,
            ...(fork && { fork }),
          },
  };
}

/** The versions hang on the question: of an answer that begins with a steering message by that one, which its first stands for. */
const versionsOf = (head: StoredMessage | undefined, firstId: string, questionId: string | undefined) =>
  head?.parentId === questionId ? (head?.siblings ?? []).map((id) => (id === head?.id ? firstId : id)) : [];

function toQuestion(message: StoredMessage & { role: "user" }): QuestionView {
  return {
    id: message.id,
    parentId: message.parentId,
    text: textOf(message.parts),
    files: filesOf(message.parts),
    siblings: message.siblings,
  };
}

/** Of the newest fork among them: the answer that it was forked from may be one too. */
function forkOf(runs: readonly RunItem[], byId: ReadonlyMap<string, RunItem>): ForkView | undefined {
  // A workflow's run that waits may have no message yet, and those after it have.
  const chain = [...runsBefore(runs[0], byId), ...runs];
  const at = chain.findLastIndex(({ forkedFrom }) => forkedFrom !== undefined);
  const run = chain[at];
  if (!run?.forkedFrom) return undefined;
  const copiedRuns = chain.slice(0, at).map(({ id }) => id);
  return { from: run.forkedFrom, at: Date.parse(run.startedAt), runId: run.id, copiedRuns };
}

/** Words in place of what an agent has said do not end the answer of its workflow. */
const isEdited = (rest: readonly StoredMessage[]): boolean =>
  rest.some(
    (message) => message.role === "assistant" && message.by === "person" && message.agent === undefined,
  );

function viewOf(
  chain: readonly RunItem[],
  rest: readonly StoredMessage[],
  known: (runId: string) => RunView | undefined,
): RunView {
  const orphans = rest.filter(({ runId }) => !chain.some(({ id }) => id === runId));
  const imported = (continued?: RunView) =>
    replayRun(importedRun(rest), orphans, { continued, isPart: continued === undefined && chain.length > 0 });
  const isFirst = orphans[0] !== undefined && orphans[0] === rest[0];
  let view = isFirst ? imported() : undefined;
  for (const [at, run] of chain.entries()) {
    // What was streamed is another version than one that a person has edited.
    const seen = isEdited(rest) ? undefined : known(run.id);
    const next = chain[at + 1];
    const isPart = next ? next.continues !== run.id : isCut(run, rest);
    // A live view of a run that ended differently since (answered elsewhere, recovered) is out of date.
    if (seen && !next && !isPart && (seen.status === run.status || run.status === "running"))
      view = stillAsked(seen, run);
    else
      view = replayRun(
        run,
        rest.filter(({ runId }) => runId === run.id),
        { continued: view, isLast: !next, isPart },
      );
  }
  const whole = view && (isFirst || orphans.length === 0) ? view : imported(view);
  // It does not end where the model was stopped.
  return isEdited(rest) ? { ...whole, status: "completed", stopReason: "end_turn", error: null } : whole;
}

/** Whether these messages are the start of an answer that another run continues: a finished run leaves no call open. */
const isCut = ({ status, stopReason }: RunItem, rest: readonly StoredMessage[]): boolean =>
  status !== "running" &&
  stopReason !== null &&
  statusAfter(stopReason) !== "waiting" &&
  openToolCalls(rest).length > 0;

/** Removes questions that have been answered since, here or in another tab, and marks their calls. */
function stillAsked(streamed: RunView, run: RunItem): RunView {
  const view = (run.answers ?? [])
    .filter(({ answer }) => isNewTakeBack(answer, streamed))
    .reduce(reduceRun, streamed);
  const open = new Set(run.pending.map(({ requestId }) => requestId));
  if (view.status !== "waiting" || view.pending.every(({ requestId }) => open.has(requestId))) return view;
  const told = (run.answers ?? []).filter(({ answer }) => !answer.takesBack).reduce(reduceRun, view);
  return { ...told, pending: told.pending.filter(({ requestId }) => open.has(requestId)) };
}

/** A plan can be taken back while everything that is asked stays open. */
const isNewTakeBack = ({ takesBack }: Answer, view: RunView): boolean =>
  takesBack !== undefined && !view.takenBack.includes(takesBack);

/** For messages without a run: imported, or older than the page's list of runs. */
function importedRun(messages: readonly StoredMessage[]): RunItem {
  const at = messages[0]?.createdAt ?? new Date(0).toISOString();
  return {
    id: "",
    conversationId: "",
    messageId: "",
    status: "completed",
    model: "",
    agent: null,
    continues: null,
    startedAt: at,
    endedAt: null,
    iterations: [],
    answeredCalls: [],
    stopReason: "end_turn",
    usage: { inputTokens: 0, outputTokens: 0 },
    error: null,
    pending: [],
  };
}
