import type { BaseDeps } from "@/lib/server/base-deps";
import { publicUrl } from "@/lib/server/env";
import { same, sign } from "@/lib/server/secrets";
import type { RunRow } from "@/lib/store/types";

const purpose = "link to a question";

type LinkDeps = Pick<BaseDeps, "env" | "secrets">;

/** Where what a run asks is answered. It opens nothing by itself: whoever follows it has to be signed in as the run's person. */
export const answerUrl = ({ env, secrets }: LinkDeps, runId: string): string =>
  `${publicUrl(env)}/answer/${runId}.${sign(secrets.appSecret, purpose, runId)}`;

/**
 * The page to which such a link leads this person: the question in its conversation, or once it is answered the run. Undefined for a
 * link that is not ours, and alike for somebody else's.
 */
export async function findQuestion(
  { store, secrets }: Pick<BaseDeps, "store" | "secrets">,
  userId: string,
  token: string,
): Promise<string | undefined> {
  const [runId = "", signature = ""] = token.split(".");
  if (!same(signature, sign(secrets.appSecret, purpose, runId))) return undefined;
  const run = await store.runs.get(userId, runId);
  if (!run) return undefined;
  if (run.status !== "waiting") return `/runs/${encodeURIComponent(run.id)}`;
  const at = await placeOf({ store }, run);
  return `/c/${encodeURIComponent(run.conversationId)}?message=${encodeURIComponent(at)}`;
}

/** What the run has written last is on no other branch than its own; its question may have several answers. */
async function placeOf({ store }: Pick<BaseDeps, "store">, run: RunRow): Promise<string> {
  const { conversationId, parentId, id } = run;
  const children = (await store.messages.children(conversationId, [parentId])).get(parentId) ?? [];
  for (const child of children)
    if ((await store.messages.get(conversationId, child))?.runId === id) return child;
  return run.messageId;
}
