import type { ComparedQuestion, StoredMessage } from "@/lib/protocol/http";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { isQuestion } from "@/lib/server/loop/steering";
import { chainOf } from "@/lib/store/run-chain";
import type { ConversationRow, RunRow } from "@/lib/store/types";

/** From the first of the compared questions on, as many versions are looked at: others may stand between them if the server ended while it began them. */
const maxLookedAt = 12;

type Deps = Pick<RunDeps, "store">;

/** The first question of the comparison that a message belongs to, if any: to a question, or to an answer. */
export async function comparisonOf(
  deps: Deps,
  conversationId: string,
  messageId: string,
): Promise<string | undefined> {
  const question = await questionOf(deps, conversationId, messageId);
  return question === undefined ? undefined : (await asked(deps, conversationId, question))?.comparison;
}

/**
 * The models that were asked the same, where the last question of the current branch is one of theirs and nobody has
 * chosen yet which answer goes on. `messages`: the last ones of that branch.
 */
export async function openComparison(
  deps: Deps,
  { id, choice }: Pick<ConversationRow, "id" | "choice">,
  messages: readonly StoredMessage[],
): Promise<ComparedQuestion[] | undefined> {
  const last = messages.findLast(({ role, runId }) => role === "user" && runId === null);
  const leaf = messages.at(-1);
  // Most questions have no other version, and nothing more is read for them.
  if (!leaf || last?.siblings.length === 1) return undefined;
  const first = await comparisonOf(deps, id, last?.id ?? leaf.id);
  if (first === undefined || first === choice?.compared) return undefined;
  const begun = await deps.store.messages.get(id, first);
  const { parentId = null } = begun ?? {};
  const versions = (await deps.store.messages.children(id, [parentId])).get(parentId ?? "") ?? [];
  const candidates = versions.slice(versions.indexOf(first)).slice(0, maxLookedAt);
  const found = await Promise.all(
    candidates.map(async (messageId) => ({ messageId, run: await asked(deps, id, messageId) })),
  );
  const compared = found.flatMap(({ messageId, run }) =>
    run?.comparison === first ? { messageId, model: run.model } : [],
  );
  return compared.length > 1 ? compared : undefined;
}

/**
 * Whether what waits behind a run may be asked by itself: not behind one of several models that answer the same, as long as nobody has
 * chosen which of them goes on, nor when that was another one.
 */
export async function mayGoOn(
  { store }: Deps,
  { userId, conversationId, messageId, options: { comparison } }: RunRow,
): Promise<boolean> {
  if (comparison === undefined) return true;
  const conversation = await store.conversations.get(userId, conversationId);
  const leafId = conversation?.leafId;
  if (!leafId || !(await store.messages.isOnBranch(conversationId, leafId, messageId))) return false;
  if (conversation.choice?.compared === comparison) return true;
  const { rows } = await store.messages.branch(conversationId, leafId);
  return rows.findLast(isQuestion)?.id !== messageId;
}

/** The end of what a model of a comparison has answered, where its answer is complete. */
export async function completedIn(
  { store }: Deps,
  conversationId: string,
  messageId: string,
): Promise<{ row: RunRow; chainId: string } | undefined> {
  const question = await questionOf({ store }, conversationId, messageId);
  const runs = question === undefined ? [] : await store.runs.ofMessage(conversationId, question);
  const first = runs.find(({ options, continues }) => options.comparison !== undefined && continues === null);
  const row = first && chainOf(runs, first.id).at(-1);
  return first && row?.status === "completed" ? { row, chainId: first.id } : undefined;
}

async function questionOf({ store }: Deps, conversationId: string, messageId: string) {
  const message = await store.messages.get(conversationId, messageId);
  if (!message?.runId) return message?.id;
  const [run] = await store.runs.many([message.runId]);
  return run?.messageId;
}

/** What was asked by a question of a comparison. An answer that was made anew is no part of it by itself. */
async function asked({ store }: Deps, conversationId: string, questionId: string) {
  const runs = await store.runs.ofMessage(conversationId, questionId);
  const run = runs.find(({ options }) => options.comparison !== undefined);
  return run && { comparison: run.options.comparison, model: run.model };
}
