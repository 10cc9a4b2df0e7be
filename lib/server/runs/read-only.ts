import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { ConversationRow, RunRow } from "@/lib/store/types";

/** 409 for a conversation that came as a run: it shows what was, and what goes on from it is another one. */
export function checkWritable(conversation: Pick<ConversationRow, "readOnly"> | undefined): void {
  if (conversation?.readOnly)
    throw new HttpError(
      409,
      "read_only",
      "This conversation came as the file of a run and is only to be looked at; fork the run to go on from it.",
    );
}

/** The same for the conversation of a run. */
export async function checkRunWritable(
  { store }: Pick<RunDeps, "store">,
  { userId, conversationId }: Pick<RunRow, "userId" | "conversationId">,
): Promise<void> {
  checkWritable(await store.conversations.get(userId, conversationId));
}
