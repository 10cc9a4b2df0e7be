import { ApiError, api } from "@/lib/client/http/http";
import { findTurnEnd } from "@/lib/client/run/find-turn-end";
import { readLog } from "@/lib/client/run/read-chain";
import type { LoopView } from "@/lib/client/run/run-view";
import type { ForkEdit } from "@/lib/protocol/fork";
import type { RunItem } from "@/lib/protocol/http";
import type { ConversationStore } from "./conversation-store";

export interface ForkRequest {
  loop: LoopView;
  edit?: ForkEdit;
  /** Absent for that of the answer. */
  model?: string;
}

/**
 * Forks an answer at a loop of it, and shows the fork where it is in the same conversation. Throws `ApiError`; what was typed
 * is the caller's to keep.
 */
export async function forkAnswer(
  conversation: ConversationStore,
  request: ForkRequest,
): Promise<{ conversationId: string }> {
  const fork = await startFork(request);
  // It has begun: that its reader cannot be fetched is said by the refresh.
  await conversation.prepareRun().catch(() => {});
  await conversation.refresh();
  conversation.announce();
  return fork;
}

/** Begins the fork, which its conversation shows from then on. Throws `ApiError`. */
export async function startFork({ loop, edit, model }: ForkRequest): Promise<{ conversationId: string }> {
  const { run, afterSeq } = await findStep(loop);
  return api(`${run}/fork`, {
    method: "POST",
    body: { afterSeq, ...(edit && { edit }), ...(model && { model }) },
  });
}

/** How many runs of a chain are looked through; each is one request for its log. */
const maxRuns = 50;

/**
 * The run in whose log the turn of a loop is, and the event that ends it. The messages of a workflow are stored when a step
 * ends, so that they name a run which may only continue the one in which the turn was.
 */
async function findStep(loop: LoopView): Promise<{ run: string; afterSeq: number }> {
  let id = loop.runId;
  for (let count = 0; id && count < maxRuns; count++) {
    const run: string = `/api/runs/${encodeURIComponent(id)}`;
    const afterSeq = findTurnEnd((await readLog(id)).chunks, loop);
    if (afterSeq !== null) return { run, afterSeq };
    id = loop.agent === undefined ? null : (await api<RunItem>(run)).continues;
  }
  throw new ApiError("not_a_step", "This step cannot be forked.", 400);
}
