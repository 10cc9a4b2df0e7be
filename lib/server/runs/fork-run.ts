import type { z } from "zod";
import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import { type ForkEdit, type ForkOrigin, forkAnswer } from "@/lib/protocol/fork";
import { forkLog } from "@/lib/protocol/fork-log";
import type { ToolCallId } from "@/lib/protocol/ids";
import { newCallId } from "@/lib/providers/tools/call-id";
import type { ForkBody } from "@/lib/server/contract/fork";
import { newId } from "@/lib/server/ids";
import { isBeside } from "@/lib/server/loop/agent-path";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { newMessage } from "@/lib/server/new-rows";
import { chooseModel, modelToGoOn } from "@/lib/server/settings/choose-model";
import type { MessageRow, RunOptions, RunRow } from "@/lib/store/types";
import { checkEdit, toEdit } from "./fork-edit";
import { beginElsewhere } from "./fork-elsewhere";
import {
  type AnswerMessage,
  type ForkPoint,
  noOutcome,
  readForkPoint,
  stepBefore,
  underWay,
} from "./fork-point";
import { checkImported, moreRounds } from "./resume-run";
import { findRun } from "./run-item";
import { type RunRequest, startRun } from "./start-run";

type ForkRequest = z.output<typeof ForkBody>;

/**
 * Begins another answer to the question of a run. It starts with copies of what the log says up to a step, so that the old
 * answer does not change, applies one edit, and continues as any run does. The old run may still be running.
 */
export function forkRun(deps: RunDeps, row: RunRow, request: ForkRequest): Promise<RunRow> {
  return deps.turns.run(row.conversationId, async () => {
    const now = await findRun(deps, row.userId, row.id);
    if (now.options.isImported) checkImported(now);
    const model = await modelOf(deps, now, request.model);
    return deps.runs.admit(() => begin(deps, now, model, request), now.userId);
  });
}

const modelOf = (deps: RunDeps, { userId, model }: RunRow, asked: string | undefined): Promise<string> =>
  asked === undefined ? modelToGoOn(deps, userId, model) : chooseModel(deps, userId, asked);

async function begin(deps: RunDeps, row: RunRow, model: string, request: ForkRequest): Promise<RunRow> {
  const { afterSeq: seq } = request;
  const edit = request.edit && toEdit(request.edit);
  const point = await readForkPoint(deps, row, seq);
  if (edit) checkEdit(deps, row, point, edit);
  const { question, before } = point;
  const options = inherited(row.options);
  if (row.agent !== null) {
    const { copies, as } = await copyLog(row, point, seq, edit);
    return startRun(deps, {
      ...(await placeOf(deps, row, { before, messages: [], parentId: question.id })),
      ...{ model, agent: row.agent, copies },
      options: {
        ...{ ...options, ...moreRounds(row) },
        forkedFrom: {
          ...{ runId: row.id, seq, edit: toOrigin(edit, as), copied: copies.length },
          ...(point.step.agent !== undefined && { agent: point.step.agent }),
        },
        ...withCall(edit, as),
      },
    });
  }
  const { answer, step } = point;
  const told = answer.map(({ message }) => message);
  // Words take the place of the whole round, whatever becomes of it.
  const outcome = edit && "text" in edit ? noOutcome : await point.readOutcome();
  const fork = forkAnswer(told, step, { edit, outcome, newId: newCallId });
  const messages = toCopies(question, fork.messages, answer, await unendedOf(deps, answer, row));
  const parentId = messages.at(-1)?.id ?? question.id;
  return startRun(deps, {
    ...(await placeOf(deps, row, { before, messages, parentId })),
    model,
    options: {
      ...options,
      forkedFrom: { runId: row.id, seq, edit: toOrigin(edit, fork.as) },
      ...withCall(edit, fork.as),
      ...(fork.isWhole && { isWhole: true as const }),
    },
  });
}

type Place = Required<Pick<RunRequest, "userId" | "conversationId" | "messageId" | "parentId" | "begin">>;

/** Beside the old answer, or in a conversation of its own where that one is only to be looked at. */
async function placeOf(
  { store }: RunDeps,
  { userId, conversationId, messageId }: RunRow,
  { before, messages, parentId }: { before: MessageRow[]; messages: MessageRow[]; parentId: string },
): Promise<Place & Pick<RunRequest, "before">> {
  const origin = await store.conversations.get(userId, conversationId);
  if (origin?.readOnly)
    return { userId, messageId, parentId, ...beginElsewhere(origin, [...before, ...messages]) };
  const begin = { messages, isBranch: true, leaf: { to: parentId } } as const;
  return { userId, conversationId, messageId, parentId, before, begin };
}

/** The arguments with which a call runs. */
const withCall = (edit: ForkEdit | undefined, as: ToolCallId | undefined): Pick<RunOptions, "editedCall"> =>
  edit && "args" in edit && as ? { editedCall: { id: as, args: edit.args } } : {};

/** What the fork of a workflow begins with, which is a log; 409 while a call of it is under way. */
async function copyLog(
  row: RunRow,
  point: ForkPoint,
  seq: number,
  edit: ForkEdit | undefined,
): Promise<{ copies: StepChunk[]; as?: ToolCallId }> {
  const { agent = "", kind } = point.step;
  const { later, isLive, ...outcome } = await point.readOutcome();
  const isStep = (chunk: Chunk): chunk is StepChunk => chunk.type !== "result";
  const definition = row.options.workflow;
  const own = point.log.slice(0, seq).filter(isStep);
  const { chunks, open, as } = forkLog(
    [...point.past, ...own, ...[...point.log.slice(seq), ...later].filter(isStep)],
    {
      ...{ kind, agent, end: point.past.length + own.length },
      isBeside: (path) => isBeside(definition, agent, path),
    },
    { edit, outcome, newId: newCallId },
  );
  if (isLive && open.length > 0) throw underWay(stepBefore(point.find, seq));
  return { copies: chunks, ...(as && { as }) };
}

/** What was asked of the run; what only belongs to how it began or was imported stays behind. */
export function inherited(options: RunOptions): RunOptions {
  const {
    rerun: _,
    iterationsUsed: _used,
    isImported: _imported,
    forkedFrom: _origin,
    editedCall: _call,
    isWhole: _whole,
    comparison: _comparison,
    step: _step,
    tape: _tape,
    matrix: _matrix,
    gateway: _gateway,
    startedBy: _startedBy,
    assistant,
    ...asked
  } = options;
  // What was gone when the old one began was told there.
  return { ...asked, ...(assistant && { assistant: { id: assistant.id } }) };
}

/** Without the words: they stand in the history. */
function toOrigin(edit: ForkEdit | undefined, as: string | undefined): ForkOrigin["edit"] {
  if (!edit) return null;
  if ("text" in edit) return { part: "text" };
  const { callId } = edit;
  return "args" in edit ? { part: "args", callId, as: as ?? callId } : { part: "result", callId };
}

/** Runs that go on or wait: they still look for their own messages by their id, so that no copy may have it. */
async function unendedOf(
  { store }: RunDeps,
  answer: readonly AnswerMessage[],
  row: RunRow,
): Promise<ReadonlySet<string>> {
  const others = new Set(answer.flatMap(({ runId }) => (runId === null || runId === row.id ? [] : runId)));
  const runs = [row, ...(others.size > 0 ? await store.runs.many([...others]) : [])];
  return new Set(runs.flatMap(({ id, status }) => (status === "running" || status === "waiting" ? id : [])));
}

function toCopies(
  { id: first, conversationId }: MessageRow,
  messages: ReturnType<typeof forkAnswer>["messages"],
  answer: readonly AnswerMessage[],
  unended: ReadonlySet<string>,
): MessageRow[] {
  const noRun = newId();
  let parentId = first;
  let from: AnswerMessage | undefined;
  return messages.map(({ at, message }) => {
    // What is new stands with what it is about.
    from = (at === undefined ? from : answer[at]) ?? answer.at(-1);
    const runId = from?.runId && !unended.has(from.runId) ? from.runId : null;
    // What was said into a run is no question: it has the id of a run, whichever.
    const said = message.role === "user" ? noRun : null;
    const copy = newMessage({ conversationId, parentId }, message, {
      runId: runId ?? said,
      model: from?.model ?? null,
    });
    parentId = copy.id;
    return copy;
  });
}
