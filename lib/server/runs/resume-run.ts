import type { ToolMessage, ToolResult } from "@/lib/protocol/message";
import { runLimits } from "@/lib/protocol/run-limits";
import { statusAfter } from "@/lib/protocol/run-status";
import { HttpError } from "@/lib/server/http/errors";
import { newId } from "@/lib/server/ids";
import { modelToGoOn } from "@/lib/server/settings/choose-model";
import type { MessageRow, RunRow } from "@/lib/store/types";
import { lastMessageOf } from "./close-waiting";
import { awaitEnd } from "./end-retry";
import type { RunDeps } from "./run-deps";
import { checkCapacity, startRun } from "./start-run";

/** Continues a run that was interrupted, stopped, failed or ended by a limit, from its history and with a fresh limit. */
export function resumeRun(deps: RunDeps, row: RunRow): Promise<RunRow> {
  return deps.runs.inTurn(row.conversationId, async () => {
    const live = deps.runs.get(row.id);
    if (live?.isEnding) await awaitEnd(live);
    return resumeInTurn(deps, (await deps.store.runs.get(row.userId, row.id)) ?? row);
  });
}

async function resumeInTurn(deps: RunDeps, row: RunRow): Promise<RunRow> {
  if (row.status === "running" || row.status === "waiting")
    throw new HttpError(409, "run_active", "This run has not ended; answer or stop it first.");
  if (row.result?.stopReason === "end_turn")
    throw new HttpError(409, "run_complete", "This answer is complete; ask the next thing instead.");
  if (row.status === "completed" && row.result && statusAfter(row.result.stopReason) === "waiting")
    throw new HttpError(
      409,
      "already_answered",
      "Its question was answered; the run that went on is the one to resume.",
    );
  const others = await deps.store.runs.ofMessage(row.conversationId, row.messageId);
  if (others.some(({ continues }) => continues === row.id))
    throw new HttpError(409, "run_continued", "It was continued already; resume the newest run.");
  const newest = others.at(-1);
  if (newest && deps.runs.get(newest.id))
    throw new HttpError(409, "run_active", "It is already being continued.", { runId: newest.id });
  checkCapacity(deps);
  const parentId = await resumePoint(deps, row);
  // What was cut off stays beside it, and what comes now is the one that is shown.
  await deps.store.conversations.update(row.conversationId, { leafId: parentId });
  return startRun(deps, {
    userId: row.userId,
    conversationId: row.conversationId,
    messageId: row.messageId,
    parentId,
    model: await modelToGoOn(deps, row.userId, row.model),
    options: { ...row.options, iterationsUsed: 0, ...moreRounds(row) },
    continues: row,
  });
}

const defaultIterations = runLimits.agent.maxIterations;
const mostIterations = 100;

/** A step of a workflow counts its turns over the whole chain: to go on after the limit it needs a higher one. */
function moreRounds({ agent, options, result }: RunRow): Partial<RunRow["options"]> {
  if (!agent || result?.stopReason !== "max_iterations") return {};
  const { maxIterations = defaultIterations } = options;
  return { maxIterations: Math.min(maxIterations + defaultIterations, mostIterations) };
}

/**
 * Where the next run hangs. After a limit: on the last message. Else a partial text stays as a sibling and the model
 * is asked again, and calls that a crash or a full disk left without an outcome are open again, so that the person is asked.
 */
async function resumePoint(deps: RunDeps, row: RunRow): Promise<string> {
  const leafId = await lastMessageOf(deps, row);
  // What a workflow has stored are whole steps; it takes up the next one.
  if (row.status === "completed" || row.agent) return leafId;
  const { rows } = await deps.store.messages.branch(row.conversationId, leafId);
  const leaf = rows.at(-1);
  if (leaf?.runId !== row.id || !leaf.parentId) return leafId;
  if (leaf.message.role === "assistant") return leaf.parentId;
  return leaf.message.role === "tool" ? reopen(deps, row, leaf, leaf.message) : leafId;
}

/** A sibling of the round with only the results that really came; the rest is open. */
async function reopen(
  deps: RunDeps,
  row: RunRow,
  leaf: MessageRow,
  { results }: ToolMessage,
): Promise<string> {
  const isLost = (result: ToolResult) =>
    result.reason === "cut_short" || (row.status === "interrupted" && result.status === "unknown");
  const kept = results.filter((result) => !isLost(result));
  if (kept.length === results.length || !leaf.parentId) return leaf.id;
  if (kept.length === 0) return leaf.parentId;
  const id = newId();
  await deps.store.messages.append(row.conversationId, [
    { ...leaf, id, message: { role: "tool", results: kept }, createdAt: Date.now() },
  ]);
  return id;
}
