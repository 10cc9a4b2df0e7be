import type { z } from "zod";
import type { BatchResult } from "@/lib/protocol/http";
import type { BatchBody } from "@/lib/server/contract/conversations";
import { HttpError } from "@/lib/server/http/errors";
import { failureOfStore } from "@/lib/server/http/store-failure";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { findProject } from "./conversations";
import { deleteConversation, restorableMs } from "./delete-conversation";

type Batch = z.output<typeof BatchBody>;

/** Does the same with many conversations; what cannot be done with one of them keeps none of the others from it. */
export async function changeMany(deps: RunDeps, userId: string, batch: Batch): Promise<BatchResult> {
  const { action, projectId } = batch;
  const ids = [...new Set(batch.ids)];
  if (action === "delete") return deleteEach(deps, userId, ids);
  const done = new Set(await changeAll(deps, userId, { ids, action, projectId }));
  return {
    done: ids.filter((id) => done.has(id)),
    failed: ids.flatMap((id) => (done.has(id) ? [] : { id, code: "not_found" })),
  };
}

async function changeAll(
  deps: RunDeps,
  userId: string,
  { ids, action, projectId }: Omit<Batch, "action"> & { action: Exclude<Batch["action"], "delete"> },
): Promise<string[]> {
  const { conversations } = deps.store;
  switch (action) {
    case "archive":
    case "unarchive":
      return conversations.updateMany(userId, ids, { archived: action === "archive" });
    case "move":
      if (projectId) await findProject(deps, userId, projectId);
      return conversations.updateMany(userId, ids, { projectId });
    case "restore":
      return conversations.restore(userId, ids, Date.now() - restorableMs);
  }
}

/** One after the other: each stops what runs in it first. */
async function deleteEach(deps: RunDeps, userId: string, ids: readonly string[]): Promise<BatchResult> {
  const result: BatchResult = { done: [], failed: [] };
  for (const id of ids)
    try {
      await deleteConversation(deps, userId, id);
      result.done.push(id);
    } catch (cause) {
      result.failed.push({ id, code: codeOf(deps, id, cause) });
    }
  return result;
}

function codeOf({ log }: RunDeps, conversationId: string, cause: unknown): string {
  if (cause instanceof HttpError) return cause.code;
  log.error({ err: cause, conversationId }, "a conversation of many was not deleted");
  return failureOfStore(cause)?.code ?? "internal";
}
