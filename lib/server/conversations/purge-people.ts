import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { KeyedMutex } from "@/lib/server/keyed-mutex";
import type { LiveRuns } from "@/lib/server/loop/live-runs";
import { endLive } from "@/lib/server/runs/stop-run";

export type PurgePeopleDeps = Pick<BaseDeps, "store" | "log"> & {
  files: Pick<AttachmentFiles, "delete">;
  runs: Pick<LiveRuns, "ofConversation" | "titling">;
  turns: KeyedMutex;
  /** Deletes what is kept for the MCP servers that they have had connections of their own to. */
  forgetServers(userId: string): Promise<void>;
};

/** Conversations that are listed at once, and rows of files of one transaction. */
const [pageSize, fileBatch] = [50, 500];
/** By then everything has ended that had been let in before the account was gone: nothing new is written for it. */
const settledMs = 10 * 60_000;

/**
 * Deletes what people have written whose account is gone, with rows, logs and files. One conversation at a time, each in a
 * transaction of its own; where the process dies the next one goes on, as somebody is forgotten only when nothing is left.
 */
export async function purgePeople(
  deps: PurgePeopleDeps,
  { isClosed, now = Date.now() }: { isClosed: () => boolean; now?: number },
): Promise<void> {
  const { deletedPeople } = deps.store;
  for (const { id, at } of await deletedPeople.unfinished())
    try {
      const isGone = await purgePerson(deps, id, isClosed);
      if (isGone && at + settledMs <= now) await deletedPeople.end(id);
    } catch (err) {
      // One whose file cannot be removed keeps nobody else's from going.
      deps.log.error({ err }, "not all of a deleted person is gone; it is tried again within the hour");
    }
}

/** Whether nothing is left. */
async function purgePerson(deps: PurgePeopleDeps, userId: string, isClosed: () => boolean): Promise<boolean> {
  const { deletedPeople } = deps.store;
  let conversations = 0;
  let after: string | undefined;
  let hangs = false;
  do {
    const ids = await deletedPeople.conversations(userId, { limit: pageSize, after });
    for (const id of ids) {
      if (isClosed()) return false;
      if (await purge(deps, id)) conversations += 1;
      else hangs = true;
    }
    after = ids.at(-1);
  } while (after !== undefined);
  await deleteFiles(deps, userId);
  await deletedPeople.deleteRest(userId);
  await deps.forgetServers(userId);
  if (conversations > 0) deps.log.info({ conversations }, "conversations of a deleted person are gone");
  return !hangs;
}

/** False where an answer is still being written: its log would come back. */
function purge({ store, files, runs, turns }: PurgePeopleDeps, id: string): Promise<boolean> {
  return turns.run(id, async () => {
    runs.titling.get(id)?.abort();
    await Promise.all(runs.ofConversation(id).map(endLive));
    if (runs.ofConversation(id).length > 0 || (await isDrivenElsewhere(store, id))) return false;
    const attached = await store.attachments.idsOf(id);
    await store.conversations.delete(id);
    await files.delete(attached);
    return true;
  });
}

/** It was told to stop when the person was deleted. */
async function isDrivenElsewhere({ members, runs }: PurgePeopleDeps["store"], id: string): Promise<boolean> {
  if (!members.mayBeMany) return false;
  return (await runs.runningOf({ conversationId: id })).length > 0;
}

/** Of projects, and what no message has taken up. */
async function deleteFiles({ store, files }: PurgePeopleDeps, userId: string): Promise<void> {
  let ids: string[];
  do {
    ids = await store.deletedPeople.deleteFiles(userId, fileBatch);
    await files.delete(ids);
  } while (ids.length === fileBatch);
}
