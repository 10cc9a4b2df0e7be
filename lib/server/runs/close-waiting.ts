import { openToolCalls } from "@/lib/protocol/history";
import type { ToolMessage } from "@/lib/protocol/message";
import type { Deps } from "@/lib/server/deps";
import { newId } from "@/lib/server/ids";
import type { MessageRow, RunRow } from "@/lib/store/types";

/**
 * Ends the wait of the run that wrote this message, if it waits: its open calls are denied in the history and let go
 * on their servers, its questions are void. Returns the message on which a next one hangs.
 */
export async function closeWaiting(deps: Deps, userId: string, leaf: MessageRow): Promise<string> {
  const run = leaf.runId ? await deps.store.runs.get(userId, leaf.runId) : undefined;
  if (run?.status !== "waiting") return leaf.id;
  return denyOpenCalls(deps, run, leaf.id);
}

/** Stores a denial for each open call behind `leafId` and marks the run stopped; returns the new leaf. */
export async function denyOpenCalls(deps: Deps, run: RunRow, leafId: string): Promise<string> {
  const { rows } = await deps.store.messages.branch(run.conversationId, leafId);
  const open = openToolCalls(rows.map(({ message }) => message));
  await deps.store.runs.setStatus(run.id, "stopped");
  if (open.length === 0) return leafId;
  for (const { id } of open) deps.flights.release(id);
  const message: ToolMessage = {
    role: "tool",
    results: open.map(({ id }) => ({
      id,
      status: "denied",
      content: [{ type: "text", text: "Not run: the person went on without it." }],
    })),
  };
  const id = newId();
  await deps.store.messages.append(run.conversationId, [
    {
      id,
      conversationId: run.conversationId,
      parentId: leafId,
      message,
      runId: run.id,
      model: run.model,
      clientMessageId: null,
      createdAt: Date.now(),
    },
  ]);
  return id;
}

/** The last message that a run has stored, or where it hangs when it stored none. */
export async function lastMessageOf(deps: Deps, run: RunRow): Promise<string> {
  let at = run.parentId;
  // Its delta is a chain; other runs may hang on any link of it.
  for (let step = 0; step < 10_000; step++) {
    const ids = (await deps.store.messages.children(run.conversationId, [at])).get(at) ?? [];
    const rows = await Promise.all(ids.map((id) => deps.store.messages.get(run.conversationId, id)));
    const next = rows.find((row) => row?.runId === run.id);
    if (!next) break;
    at = next.id;
  }
  return at;
}
