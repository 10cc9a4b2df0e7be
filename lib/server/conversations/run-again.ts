import { openToolCalls } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import { asksFor, keepBefore, type Rerun } from "@/lib/protocol/rerun";
import { newCallId } from "@/lib/providers/tools/call-id";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { newMessage } from "@/lib/server/new-rows";
import type { ConversationRow, MessageRow, RunStart } from "@/lib/store/types";
import { runningIn } from "./active-run";
import { findAnswer, stillRuns } from "./find-answer";

/** An answer that begins as another one did, up to a call that runs again. */
export interface Again {
  question: MessageRow;
  /** Where the run hangs: the last of the copies. */
  parentId: string;
  begin: RunStart;
  rerun: Rerun;
}

/**
 * Prepares a sibling of the answer that `messageId` belongs to. It keeps everything before the call and the results of
 * the other calls of its round, as copies, so that nothing of the old answer changes; the call itself is open again.
 */
export async function runAgain(
  deps: RunDeps,
  { id: conversationId, leafId }: ConversationRow,
  { messageId, callId }: { messageId: string; callId: string },
): Promise<Again> {
  const [active] = await runningIn(deps, conversationId);
  if (active) throw stillRuns(active.id);
  const { question, answer } = await findAnswer(deps, conversationId, leafId, messageId, "regenerate");
  const rerun = { call: callId as ToolCallId, as: newCallId() };
  checkEnded(answer, rerun.call);
  // Also one that waits in a later round: its open call must not be lost to a copy of what came before it.
  const writers = await deps.store.runs.many([...new Set(answer.flatMap(({ runId }) => runId ?? []))]);
  const waiting = writers.find(({ status }) => status === "waiting");
  if (waiting) throw stillRuns(waiting.id);
  const kept = keepBefore(
    answer.map(({ message }) => message),
    rerun,
  );
  let parentId = question.id;
  const messages = (kept ?? []).flatMap(({ at, message }) => {
    const from = answer[at];
    if (!from) return [];
    const copy = newMessage({ conversationId, parentId }, message, { runId: from.runId, model: from.model });
    parentId = copy.id;
    return [copy];
  });
  return { question, parentId, begin: { messages, leaf: { from: leafId } }, rerun };
}

/** A call runs again when its whole round has ended, and its model's turn is one that can be gone on from. */
function checkEnded(answer: readonly MessageRow[], callId: ToolCallId): void {
  const asking = answer.findIndex(({ message }) => asksFor(message, callId));
  const row = answer[asking];
  if (!row) throw new HttpError(404, "not_found", "fromCall: there is no such call in this answer.");
  if (row.message.agent !== undefined)
    throw new HttpError(
      422,
      "not_supported",
      "fromCall: a call of a workflow does not run again by itself; have the whole answered again.",
    );
  const after = answer.slice(asking + 1).findIndex(({ message }) => message.role !== "tool");
  const round = answer.slice(asking, after < 0 ? answer.length : asking + 1 + after);
  if (openToolCalls(round.map(({ message }) => message)).length > 0) throw stillRuns(row.runId);
}
