import { openToolCalls } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolMessage, ToolResult } from "@/lib/protocol/message";
import { readChain } from "@/lib/server/loop/chain";
import { unknownOutcome } from "@/lib/server/loop/end-run";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import { newMessage } from "@/lib/server/new-rows";
import type { MessageRow, RunRow } from "@/lib/store/types";
import { askOwner, isHeldElsewhere } from "./at-owner";
import { endQueue } from "./waiting-messages";

/**
 * Ends the wait of the run that wrote this message or hangs on it, if it waits: its open calls are denied in the history
 * and let go on their servers, its questions are void. Returns the parent of the next message.
 */
export async function closeWaiting(deps: RunDeps, userId: string, leaf: MessageRow): Promise<string> {
  const writer = leaf.runId ? await deps.store.runs.get(userId, leaf.runId) : undefined;
  const run = writer?.status === "waiting" ? writer : await findWaiting(deps, leaf, writer);
  return run ? denyOpenCalls(deps, run, leaf.id) : leaf.id;
}

/** A run that waits and has written nothing yet: it continues from the messages of another run, or from the question. */
async function findWaiting(deps: RunDeps, leaf: MessageRow, writer: RunRow | undefined) {
  const { conversationId } = leaf;
  const messageId = writer?.messageId ?? (await questionOf(deps, leaf));
  const runs = messageId ? await deps.store.runs.ofMessage(conversationId, messageId) : [];
  return runs.find(({ status, parentId }) => status === "waiting" && parentId === leaf.id);
}

async function questionOf(deps: RunDeps, leaf: MessageRow) {
  if (isQuestion(leaf)) return leaf.id;
  const { rows } = await deps.store.messages.branch(leaf.conversationId, leaf.id);
  return rows.findLast(isQuestion)?.id;
}

/**
 * Marks a waiting run stopped, with a denial for each open call behind `leafId`, "outcome unknown" for one that was sent;
 * returns the new leaf. `conflict` when somebody else has ended the wait meanwhile.
 */
export async function denyOpenCalls(deps: RunDeps, run: RunRow, leafId: string): Promise<string> {
  const { rows } = await deps.store.messages.branch(run.conversationId, leafId);
  const open = openToolCalls(rows.map(({ message }) => message));
  const denial = open.length > 0 ? await denialOf(deps, run, leafId, open) : undefined;
  await deps.store.runs.transition(run.id, "waiting", "stopped", denial && [denial]);
  await releaseCalls(deps, run, open);
  await endQueue(deps, run);
  return denial?.id ?? leafId;
}

/** Another process that has them under way does it as soon as it can. */
async function releaseCalls(deps: RunDeps, run: RunRow, open: readonly { id: ToolCallId }[]): Promise<void> {
  const ids = open.map(({ id }) => id);
  for (const id of ids) deps.inFlight.release(id);
  if (!isHeldElsewhere(deps, run)) return;
  await askOwner(deps, run.id, "release_calls", { ids }, 0).catch((err) =>
    deps.log.warn({ err, runId: run.id }, "calls that nobody waits for go on in another process"),
  );
}

async function denialOf(
  deps: RunDeps,
  run: RunRow,
  parentId: string,
  open: readonly { id: ToolCallId }[],
): Promise<MessageRow> {
  const known = await readChain(deps, run).catch((err) => {
    deps.log.error({ err, runId: run.id }, "a log cannot be read; any open call counts as sent");
    return undefined;
  });
  const message: ToolMessage = {
    role: "tool",
    results: open.map(({ id }) =>
      !known || known.open.get(id)?.sent ? unknownOutcome(id, sentNote) : denied(id),
    ),
  };
  const { id: runId, conversationId, model } = run;
  return newMessage({ conversationId, parentId }, message, { runId, model });
}

const denied = (id: ToolCallId): ToolResult => ({
  id,
  status: "denied",
  reason: "left_open",
  content: [{ type: "text", text: "Not run: the person went on without it." }],
});

/** It may have taken effect: a model that reads "not run" would do it again. */
const sentNote = "Sent, but the person went on before an answer came.";
