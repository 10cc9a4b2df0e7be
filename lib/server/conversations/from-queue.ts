import type { z } from "zod";
import type { ChatBody } from "@/lib/server/contract/chat";
import { HttpError } from "@/lib/server/http/errors";
import { awaitEnd } from "@/lib/server/loop/end-retry";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { endOfChain } from "@/lib/server/runs/waiting-messages";
import type { QueuedRow } from "@/lib/store/queue-types";
import type { ConversationListRow, MessageRow } from "@/lib/store/types";

/** A message whose turn has come, the run after whose end, and the chains whose other messages go on behind it. */
export interface Waited {
  message: QueuedRow;
  follows: string;
  adopts: readonly string[];
  /** Nobody asks for it now: a person who has gone to another branch stays there. */
  isOwnTurn: boolean;
}

type Deps = Pick<RunDeps, "store" | "runs">;

/** The message that this request asks now, in place of waiting for its turn. */
export async function findWaiting(
  deps: Deps,
  userId: string,
  { clientMessageId }: z.output<typeof ChatBody>,
  conversation: ConversationListRow | undefined,
): Promise<QueuedRow | undefined> {
  if (clientMessageId === undefined || !conversation) return undefined;
  const isLive = deps.runs.ofConversation(conversation.id).some(({ mayHaveQueue }) => mayHaveQueue);
  if (!isLive && !mayWait(deps, conversation)) return undefined;
  const row = await deps.store.queue.byClientId(userId, clientMessageId);
  if (row && row.conversationId !== conversation.id)
    throw new HttpError(
      409,
      "conflict",
      "clientMessageId: a message with this id waits in another conversation; send this one with an id of its own.",
    );
  return row;
}

/**
 * The chains before a new question behind which something waits: they did not complete, or what waited could not be asked.
 * After an answer that completed nothing is asked of the store, unless other processes are there.
 */
export async function chainsBehind(
  deps: Deps,
  conversation: ConversationListRow | undefined,
  { question, branch = [] }: { question: MessageRow; branch?: readonly MessageRow[] },
): Promise<string[]> {
  if (!conversation?.lastRun) return [];
  // Behind a run that is just ending it is known a moment later, which may be after its record says that it has.
  for (const run of deps.runs.ofConversation(conversation.id))
    if (run.mayHaveQueue && run.isEnding) await awaitEnd(run);
  const last = branch.at(-1);
  const isElsewhere = last !== undefined && last.runId !== conversation.lastRun.id;
  if (!isElsewhere && !mayWait(deps, conversation)) return [];
  const before = new Set([...branch, question].map(({ id }) => id));
  const chains: string[] = [];
  for (const { chainId, messageId } of await deps.store.queue.waitingIn(conversation.id)) {
    const end = before.has(messageId) ? await endOfChain(deps, conversation.userId, chainId) : undefined;
    if (end && end.status !== "running" && end.status !== "waiting") chains.push(chainId);
  }
  deps.runs.stalled.delete(conversation.id);
  return chains;
}

const mayWait = ({ runs, store }: Deps, { id, lastRun }: ConversationListRow): boolean =>
  runs.stalled.has(id) ||
  // What another process could not ask, or is about to ask, only the store knows of.
  store.members.hasOthers ||
  // A question that comes between the end of a run and what waits behind it goes first.
  (lastRun !== null && (lastRun.status !== "completed" || runs.handing.has(lastRun.id)));
