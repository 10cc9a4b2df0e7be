import type { RunItem } from "@/lib/protocol/http";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";
import { originOf, toRunItem } from "./run-item";

/** Runs as their conversation shows them: those that were forked say from where, with a message by which that answer is shown. */
export async function withOrigins(deps: RunDeps, rows: readonly RunRow[]): Promise<RunItem[]> {
  return Promise.all(
    rows.map(async (row) => {
      const origin = originOf(row);
      const item = await toRunItem(deps, row);
      if (!origin) return item;
      const messageId = await messageOf(deps, row, origin.runId);
      return { ...item, forkedFrom: { ...origin, ...(messageId !== undefined && { messageId }) } };
    }),
  );
}

/** A message that only the branch of this run has: the one that it hangs on, or its first where that is the question. */
async function messageOf(
  { store }: RunDeps,
  { conversationId, messageId: questionId }: RunRow,
  runId: string,
): Promise<string | undefined> {
  const [run] = await store.runs.many([runId]);
  // An imported run may name any.
  if (run?.conversationId !== conversationId) return undefined;
  if (run.parentId !== questionId) return run.parentId;
  const children = await store.messages.children(conversationId, [questionId]);
  // Oldest first: copies of what a run has written name the same run, and come later.
  for (const id of children.get(questionId) ?? [])
    if ((await store.messages.get(conversationId, id))?.runId === runId) return id;
  return undefined;
}
