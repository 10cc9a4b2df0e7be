import type { z } from "zod";
import { type ForkEdit, type ForkOrigin, forkAnswer } from "@/lib/protocol/fork";
import { newCallId } from "@/lib/providers/tools/call-id";
import type { ForkBody } from "@/lib/server/contract/fork";
import { HttpError } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { newMessage } from "@/lib/server/new-rows";
import { chooseModel, modelToGoOn } from "@/lib/server/settings/choose-model";
import type { MessageRow, RunOptions, RunRow } from "@/lib/store/types";
import { checkEdit, toEdit } from "./fork-edit";
import { beginElsewhere } from "./fork-elsewhere";
import { type AnswerMessage, noOutcome, readForkPoint } from "./fork-point";
import { checkImported } from "./resume-run";
import { findRun } from "./run-item";
import { startRun } from "./start-run";

type ForkRequest = z.output<typeof ForkBody>;

/**
 * Begins another answer to the question of a run. It starts with copies of what the log says up to a step, so that the old
 * answer does not change, applies one edit, and continues as any run does. The old run may still be running.
 */
export function forkRun(deps: RunDeps, row: RunRow, request: ForkRequest): Promise<RunRow> {
  if (row.agent !== null)
    throw new HttpError(
      422,
      "not_supported",
      "The answer of a workflow cannot be forked; have the whole answered again.",
    );
  return deps.turns.run(row.conversationId, async () => {
    const now = await findRun(deps, row.userId, row.id);
    if (now.options.isImported) checkImported(now);
    const model = await modelOf(deps, now, request.model);
    return deps.runs.admit(() => begin(deps, now, model, request));
  });
}

const modelOf = (deps: RunDeps, { userId, model }: RunRow, asked: string | undefined): Promise<string> =>
  asked === undefined ? modelToGoOn(deps, userId, model) : chooseModel(deps, userId, asked);

async function begin(deps: RunDeps, row: RunRow, model: string, request: ForkRequest): Promise<RunRow> {
  const { afterSeq: seq } = request;
  const edit = request.edit && toEdit(request.edit);
  const point = await readForkPoint(deps, row, seq);
  if (edit) checkEdit(deps, row, point, edit);
  const { before, question, answer, step } = point;
  const told = answer.map(({ message }) => message);
  // Words take the place of the whole round, whatever becomes of it.
  const outcome = edit && "text" in edit ? noOutcome : await point.readOutcome();
  const fork = forkAnswer(told, step, { edit, outcome, newId: newCallId });
  const messages = toCopies(question, fork.messages, answer, await unendedOf(deps, answer, row));
  const parentId = messages.at(-1)?.id ?? question.id;
  const origin = await deps.store.conversations.get(row.userId, row.conversationId);
  const elsewhere = origin?.readOnly && beginElsewhere(origin, [...before, ...messages]);
  return startRun(deps, {
    userId: row.userId,
    conversationId: elsewhere ? elsewhere.conversationId : row.conversationId,
    messageId: question.id,
    parentId,
    model,
    options: {
      ...inherited(row.options),
      forkedFrom: { runId: row.id, seq, edit: toOrigin(edit, fork.as) },
      ...(edit && "args" in edit && fork.as && { editedCall: { id: fork.as, args: edit.args } }),
      ...(fork.isWhole && { isWhole: true as const }),
    },
    ...(elsewhere
      ? { begin: elsewhere.begin }
      : { begin: { messages, isBranch: true as const, leaf: { to: parentId } }, before }),
  });
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
