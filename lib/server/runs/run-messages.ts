import type { Store } from "@/lib/store/ports";
import type { MessageRow, RunRow } from "@/lib/store/types";

interface Messages {
  store: Pick<Store, "messages">;
}

/** The last message that a run has stored, or where it hangs when it stored none. */
export const lastMessageOf = async (deps: Messages, run: RunRow): Promise<string> =>
  (await messagesOf(deps, run)).at(-1)?.id ?? run.parentId;

/** All messages that a run has stored, each hanging on the one before. */
export async function messagesOf({ store }: Messages, run: RunRow): Promise<MessageRow[]> {
  const found: MessageRow[] = [];
  // Its delta is a chain; other runs may hang on any link of it.
  for (let at = run.parentId; found.length < 10_000; ) {
    const ids = (await store.messages.children(run.conversationId, [at])).get(at) ?? [];
    const rows = await Promise.all(ids.map((id) => store.messages.get(run.conversationId, id)));
    const next = rows.find((row) => row?.runId === run.id);
    if (!next) break;
    found.push(next);
    at = next.id;
  }
  return found;
}
