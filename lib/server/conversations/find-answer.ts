import { HttpError } from "@/lib/server/http/errors";
import { isStoreError } from "@/lib/server/http/store-failure";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import type { MessageRow } from "@/lib/store/types";

/**
 * The question before a message, and what answers it on the branch that is shown or, off it, on the newest one. `field`
 * is what named the message in the request.
 */
export async function findAnswer(
  deps: RunDeps,
  conversationId: string,
  leafId: string | null,
  messageId: string,
  field: "regenerate" | "edits",
): Promise<{ question: MessageRow; answer: MessageRow[] }> {
  const { messages } = deps.store;
  const shown = leafId ? (await messages.branch(conversationId, leafId)).rows : [];
  const newest = async () => {
    const leaf = await messages.newestLeaf(conversationId, messageId).catch((cause) => {
      if (!isStoreError(cause) || cause.code !== "not_found") throw cause;
    });
    return leaf ? (await messages.branch(conversationId, leaf)).rows : [];
  };
  const rows = shown.some(({ id }) => id === messageId) ? shown : await newest();
  const at = rows.findIndex(({ id }) => id === messageId);
  const first = rows.slice(0, at + 1).findLastIndex(isQuestion);
  const question = rows[first];
  if (!question)
    throw new HttpError(404, "not_found", `${field}: there is no such message in this conversation.`);
  const rest = rows.slice(first + 1);
  const next = rest.findIndex(isQuestion);
  return { question, answer: next < 0 ? rest : rest.slice(0, next) };
}

/** Refuses what would change an answer that is not at its end. */
export const stillRuns = (runId: string | null) =>
  new HttpError(
    409,
    "run_active",
    "An answer is still being written here, or waits for you; stop it or wait for its end.",
    { runId },
  );
