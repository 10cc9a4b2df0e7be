import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunRow } from "@/lib/store/types";
import { atOwner } from "./at-owner";

type Deps = Pick<RunDeps, "store" | "runs">;

/** Runs that answer the same question look for messages from now on, whichever process drives them. */
export async function expectMessages(deps: Deps, run: RunRow): Promise<void> {
  if (expectHere(deps, run) || !deps.store.commands) return;
  for (const row of await deps.store.runs.runningOf({ conversationId: run.conversationId }))
    if (row.messageId === run.messageId)
      await atOwner(deps, row, { kind: "expect_messages", body: null }, async () => null);
}

/** Gives whether this process drives such a run. */
export function expectHere({ runs }: Pick<Deps, "runs">, { conversationId, messageId }: RunRow): boolean {
  const live = runs.ofConversation(conversationId).filter(({ row }) => row.messageId === messageId);
  for (const run of live) run.expectMessages();
  return live.length > 0;
}
