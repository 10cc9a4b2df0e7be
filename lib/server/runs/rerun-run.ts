import type { z } from "zod";
import type { UserMessage } from "@/lib/protocol/message";
import type { RerunBody } from "@/lib/server/contract/tape";
import { HttpError, notFound } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readAnswerOf } from "@/lib/server/loop/run-tape";
import { newMessage } from "@/lib/server/new-rows";
import { chooseModel, modelToGoOn } from "@/lib/server/settings/choose-model";
import type { RunRow, RunStart } from "@/lib/store/types";
import { inherited } from "./fork-run";
import { checkRunWritable } from "./read-only";
import { checkImported } from "./resume-run";
import { findRun } from "./run-item";
import { startRun } from "./start-run";

type RerunRequest = z.output<typeof RerunBody>;

/**
 * Asks the question of a run once more, as another version of it, and answers it with the tool results of the recording: of
 * all runs of that answer. What the conversation shows stays, as the answer is there to be compared. `cell`: of the matrix
 * that wants it; `conflict` when the cell may not begin any more.
 */
export function rerunRun(
  deps: RunDeps,
  row: RunRow,
  request: RerunRequest,
  cell?: RunStart["cell"],
): Promise<RunRow> {
  return deps.turns.run(row.conversationId, async () => {
    await checkRecorded(deps, await findRun(deps, row.userId, row.id));
    const { userId } = row;
    const model = await (request.model === undefined
      ? modelToGoOn(deps, userId, row.model)
      : chooseModel(deps, userId, request.model));
    return deps.runs.admit(() => begin(deps, row, { model, request, cell }), userId);
  });
}

/** Refuses what has no whole recording or takes no question, before anything is stored. */
export async function checkRecorded(deps: RunDeps, row: RunRow): Promise<void> {
  await checkRunWritable(deps, row);
  if (row.agent !== null)
    throw new HttpError(
      422,
      "not_supported",
      "The answer of a workflow cannot be run again on its recording; have the whole answered again.",
    );
  if (row.options.isImported) checkImported(row);
  const runs = await readAnswerOf(deps, row);
  const active = runs.find(({ status }) => status === "running" || status === "waiting");
  if (active)
    throw new HttpError(409, "run_active", "This answer has not ended; wait for it, answer it or stop it.", {
      runId: active.id,
    });
  const lengths = await Promise.all(runs.map(({ id }) => deps.store.log.lastSeq(id)));
  if (lengths.every((length) => length === 0))
    throw new HttpError(
      422,
      "no_recording",
      "Nothing of this answer is recorded; ask the question again instead.",
    );
}

async function begin(
  deps: RunDeps,
  row: RunRow,
  { model, request, cell }: { model: string; request: RerunRequest; cell: RunStart["cell"] },
): Promise<RunRow> {
  const { text, instructions, effort, recordWire, tape } = request;
  const { userId, conversationId } = row;
  const asked = await deps.store.messages.get(conversationId, row.messageId);
  if (asked?.message.role !== "user") throw notFound("message");
  const message = text === undefined ? asked.message : withText(asked.message, text);
  const question = newMessage({ conversationId, parentId: asked.parentId }, message);
  return startRun(deps, {
    userId,
    conversationId,
    messageId: question.id,
    parentId: question.id,
    model,
    options: {
      ...inherited(row.options),
      ...(instructions !== undefined && { instructions }),
      ...(effort && { effort }),
      ...(recordWire !== undefined && { recordWire }),
      tape: { runId: row.id, misses: tape },
      ...(cell && { matrix: cell.matrixId }),
    },
    begin: { question, leaf: { stays: true }, ...(cell && { cell }) },
  });
}

/** Its files stay. */
function withText(message: UserMessage, text: string): UserMessage {
  const files = message.parts.filter(({ type }) => type !== "text");
  return { ...message, parts: [...files, { type: "text", text }] };
}
