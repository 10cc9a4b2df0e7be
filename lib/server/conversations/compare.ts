import { notFound } from "@/lib/server/http/errors";
import { chooseModel } from "@/lib/server/settings/choose-model";
import type { RunRow } from "@/lib/store/types";
import { type ChatDeps, type ChatRequest, send, turnOf } from "./chat";

/**
 * Asks several models the same beside each other: each gets a question of its own, all of them at the same place, and a run.
 * The conversation shows the first. The same `clientMessageId` again finds those that were begun and begins the others.
 */
export function compare(
  deps: ChatDeps,
  userId: string,
  request: ChatRequest,
  models: readonly string[],
): Promise<RunRow[]> {
  return deps.turns.run(turnOf(userId, request), async () => {
    // Before anything is stored.
    for (const model of models) await chooseModel(deps, userId, model);
    const [first = "", ...others] = models;
    const runs = [await send(deps, userId, { ...request, model: first })];
    const { conversationId, messageId } = runs[0] as RunRow;
    const beside = await deps.store.messages.get(conversationId, messageId);
    if (!beside) throw notFound("conversation");
    const { projectId: _, temporary: _temporary, clientMessageId, ...asked } = request;
    for (const [at, model] of others.entries())
      runs.push(
        await send(deps, userId, {
          ...asked,
          ...{ conversationId, parentId: beside.parentId, model, beside },
          ...(clientMessageId !== undefined && { clientMessageId: `${clientMessageId}/${at + 2}` }),
        }),
      );
    return runs;
  });
}
