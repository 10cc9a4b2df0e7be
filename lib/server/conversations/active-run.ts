import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { MessageRow, RunRow } from "@/lib/store/types";
import { comparisonOf } from "./comparison";

/**
 * The run that goes on at the end of this branch, or else elsewhere: but none that writes another version of what is
 * shown, as a run does that was forked while it went on.
 */
export async function activeRunOn(
  { runs, store }: RunDeps,
  id: string,
  leafId: string | null,
  last: MessageRow | undefined,
): Promise<string | null> {
  const live = await runningIn({ runs, store }, id);
  // One that has just ended has written the last message.
  const here = live.findLast((run) => run.parentId === leafId || run.id === last?.runId);
  if (here || !leafId) return (here ?? live.at(-1))?.id ?? null;
  // Those that were compared with what is shown are other versions of it, too.
  for (const run of live.toReversed()) {
    if (await store.messages.isOnBranch(id, leafId, run.parentId)) continue;
    // What was compared with an answer is another version of it, too.
    if ((await comparisonOf({ store }, id, run.messageId)) === undefined) return run.id;
  }
  return null;
}

/** Those of a conversation that run, with the ones that other processes drive. */
export async function runningIn(
  { runs, store }: Pick<RunDeps, "runs" | "store">,
  id: string,
): Promise<RunRow[]> {
  const live = runs.ofConversation(id).map(({ row }) => row);
  if (!store.commands) return live;
  const elsewhere = await store.runs.runningOf({ conversationId: id });
  return [...live, ...elsewhere.filter((row) => !runs.get(row.id))];
}
