import type { ToolMessage, ToolResult } from "@/lib/protocol/message";
import { runLimits } from "@/lib/protocol/run-limits";
import { statusAfter } from "@/lib/protocol/run-status";
import { ImportedOptions } from "@/lib/server/contract/settings";
import { HttpError } from "@/lib/server/http/errors";
import { isConflict } from "@/lib/server/http/store-failure";
import { awaitEnd } from "@/lib/server/loop/end-retry";
import { isWorkflow } from "@/lib/server/loop/execute-run";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { lastMessageOf, readWholeLog } from "@/lib/server/loop/stored-run";
import { newMessage } from "@/lib/server/new-rows";
import { modelToGoOn } from "@/lib/server/settings/choose-model";
import type { MessageRow, RunRow } from "@/lib/store/types";
import { atOwner } from "./at-owner";
import { checkCopies } from "./fork-point";
import { checkRunWritable } from "./read-only";
import { startRun } from "./start-run";

/** Continues a run that was interrupted, stopped, failed or ended by a limit, from its history and with a fresh limit. */
export const resumeRun = (deps: RunDeps, row: RunRow): Promise<RunRow> =>
  // One that runs may be at its end.
  atOwner(deps, row, { kind: "resume", body: null }, () => resumeHere(deps, row));

/** The same for a run that no other process drives. */
export function resumeHere(deps: RunDeps, row: RunRow): Promise<RunRow> {
  return deps.turns.run(row.conversationId, async () => {
    await checkRunWritable(deps, row);
    const live = deps.runs.get(row.id);
    if (live?.isEnding) await awaitEnd(live);
    return resumeInTurn(deps, (await deps.store.runs.get(row.userId, row.id)) ?? row);
  });
}

async function resumeInTurn(deps: RunDeps, row: RunRow): Promise<RunRow> {
  if (row.status === "running" || row.status === "waiting")
    throw new HttpError(409, "run_active", "This run has not ended; answer or stop it first.");
  if (row.result?.stopReason === "end_turn")
    throw new HttpError(409, "run_complete", "This answer is complete; ask your next question instead.");
  if (row.status === "completed" && row.result && statusAfter(row.result.stopReason) === "waiting")
    throw new HttpError(
      409,
      "already_answered",
      "Its question was answered; resume the run that continued it.",
    );
  const others = await deps.store.runs.ofMessage(row.conversationId, row.messageId);
  if (others.some(({ continues }) => continues === row.id)) throw continued();
  const newest = others.at(-1);
  if (newest && (newest.status === "running" || deps.runs.get(newest.id)))
    throw new HttpError(409, "run_active", "It is already being continued.", { runId: newest.id });
  return deps.runs
    .admit(() => goOn(deps, row))
    .catch((cause) => {
      throw isConflict(cause) ? continued() : cause;
    });
}

async function goOn(deps: RunDeps, row: RunRow): Promise<RunRow> {
  if (row.continues === null && row.options.forkedFrom?.copied)
    checkCopies(row, await readWholeLog(deps, row.id));
  const { parentId, messages } = await resumePoint(deps, row);
  if (row.options.isImported) checkImported(row);
  // What is answered from here on is answered here.
  const { isImported: _, ...options } = row.options;
  return startRun(deps, {
    userId: row.userId,
    conversationId: row.conversationId,
    messageId: row.messageId,
    parentId,
    model: await modelToGoOn(deps, row.userId, row.model),
    options: { ...options, iterationsUsed: 0, ...moreRounds(row) },
    continues: row,
    // What was cut off stays beside it, and what comes now is the one that is shown.
    begin: { messages, leaf: { to: parentId } },
  });
}

/** A loop without an end, or one of an hour for each call, is nothing that a person has asked for. */
export function checkImported({ options }: RunRow): void {
  const { success } = ImportedOptions.safeParse(options);
  if (success && (options.workflow === undefined || isWorkflow(options.workflow))) return;
  throw new HttpError(
    422,
    "not_supported",
    "How this answer was made came with a file and cannot be taken over; ask the question again.",
  );
}

const continued = () =>
  new HttpError(409, "run_continued", "It was continued already; resume the newest run.");

const defaultIterations = runLimits.agent.maxIterations;
const mostIterations = 100;

/** A step of a workflow counts its turns over the whole chain: to continue after the limit it needs a higher one. */
export function moreRounds({ agent, options, result }: RunRow): Partial<RunRow["options"]> {
  if (!agent || result?.stopReason !== "max_iterations") return {};
  const { maxIterations = defaultIterations } = options;
  return { maxIterations: Math.min(maxIterations + defaultIterations, mostIterations) };
}

/**
 * Where the next run hangs. After a limit: on the last message. Else a partial text stays as a sibling and the model
 * is asked again, and calls that a crash or a full disk left without an outcome are open again, so that the person is asked.
 */
async function resumePoint(deps: RunDeps, row: RunRow): Promise<ResumePoint> {
  const leafId = await lastMessageOf(deps, row);
  // What a workflow has stored are whole steps; it takes up the next one.
  if (row.status === "completed" || row.agent) return at(leafId);
  const { rows } = await deps.store.messages.branch(row.conversationId, leafId);
  const leaf = rows.at(-1);
  if (leaf?.runId !== row.id || !leaf.parentId) return at(leafId);
  if (leaf.message.role === "assistant") return at(leaf.parentId);
  return leaf.message.role === "tool" ? reopen(row, leaf, leaf.parentId, leaf.message) : at(leafId);
}

interface ResumePoint {
  parentId: string;
  /** Stored with the run; the last one is `parentId`. */
  messages: MessageRow[];
}

const at = (parentId: string): ResumePoint => ({ parentId, messages: [] });

/** A sibling of the round with only the results that really came; the rest is open. */
function reopen(row: RunRow, leaf: MessageRow, parentId: string, { results }: ToolMessage): ResumePoint {
  const isLost = (result: ToolResult) =>
    result.reason === "cut_short" || (row.status === "interrupted" && result.status === "unknown");
  const kept = results.filter((result) => !isLost(result));
  if (kept.length === results.length) return at(leaf.id);
  if (kept.length === 0) return at(parentId);
  const { conversationId, runId, model } = leaf;
  const reopened = newMessage(
    { conversationId, parentId },
    { role: "tool", results: kept },
    { runId, model },
  );
  return { parentId: reopened.id, messages: [reopened] };
}
