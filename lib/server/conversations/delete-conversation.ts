import type { RunDeps } from "@/lib/server/loop/run-deps";
import { endAll, endWait } from "@/lib/server/runs/stop-run";
import { findConversation } from "./conversations";

/** For how long it can be restored. */
export const restorableMs = 24 * 60 * 60_000;

/** Stops what still runs in it and the title that is written for it, then hides it with all that belongs to it. */
export async function deleteConversation(deps: RunDeps, userId: string, id: string): Promise<void> {
  await deps.turns.run(id, async () => {
    await findConversation(deps, userId, id);
    await endAll(deps, { conversationId: id });
    deps.runs.titling.get(id)?.abort();
    const { lastRun } = await findConversation(deps, userId, id);
    const waiting = lastRun?.status === "waiting" && (await deps.store.runs.get(userId, lastRun.id));
    // A call that waits for a person is under way on its server.
    if (waiting) await endWait(deps, waiting);
    await deps.store.conversations.hide(id, Date.now());
  });
}
