import { isConflict, isDuplicate } from "@/lib/server/http/store-failure";
import { lastMessageOf } from "@/lib/server/loop/stored-run";
import { endOfChain } from "@/lib/server/runs/waiting-messages";
import type { QueuedRow } from "@/lib/store/queue-types";
import type { RunRow } from "@/lib/store/types";
import { begin, type ChatDeps } from "./chat";
import { mayGoOn } from "./comparison";

/**
 * Asks what waits first behind a chain that has ended with this run, or the message that is named, and moves the rest behind
 * its answer. Undefined when nothing waits there, when somebody else has gone on from that end, and where it may
 * not go on by itself.
 */
export function askWaiting(
  deps: ChatDeps,
  ended: RunRow,
  chainId: string,
  messageId?: string,
): Promise<RunRow | undefined> {
  const { userId, conversationId } = ended;
  return deps.turns.run(conversationId, async () => {
    for (let left = maxConflicts; ; left--) {
      const waiting = await deps.store.queue.waiting(chainId);
      const message = messageId === undefined ? waiting[0] : waiting.find(({ id }) => id === messageId);
      if (!message || (await endOfChain(deps, userId, chainId))?.id !== ended.id) return undefined;
      if (messageId === undefined && !(await mayGoOn(deps, ended))) return undefined;
      const request = { ...toRequest(message), parentId: await lastMessageOf(deps, ended) };
      const waited = { message, follows: ended.id, adopts: [chainId], isOwnTurn: messageId === undefined };
      try {
        return await deps.runs.admit(() => begin(deps, userId, request, undefined, waited), userId);
      } catch (cause) {
        if (!isTaken(cause) || left === 0) throw cause;
      }
    }
  });
}

/** It was changed, taken back or asked meanwhile: it is looked at again. */
const maxConflicts = 20;

/** Another process may have asked the very same message. */
const isTaken = (cause: unknown): boolean => isConflict(cause) || isDuplicate(cause);

/** As if it were sent now. */
const toRequest = ({ conversationId, clientMessageId, message: { parts } }: QueuedRow) => ({
  conversationId,
  clientMessageId,
  message: {
    text: parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    attachments: parts.flatMap((part) =>
      part.type === "file" && part.attachmentId ? [{ id: part.attachmentId }] : [],
    ),
  },
});
