import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { KeyedMutex } from "@/lib/server/keyed-mutex";
import { restorableMs } from "./delete-conversation";

export type PurgeDeps = Pick<BaseDeps, "store"> & {
  files: Pick<AttachmentFiles, "delete">;
  turns: KeyedMutex;
};

const pageSize = 50;

/**
 * Deletes for ever, with rows, logs and files, what was deleted so long ago that nobody can restore it. One at a time, each in
 * a transaction of its own; what a crash leaves of the logs and files goes at the next start. Gives how many.
 */
export async function purgeDeleted(
  deps: PurgeDeps,
  { isClosed, now = Date.now() }: { isClosed: () => boolean; now?: number },
): Promise<number> {
  const { store, files, turns } = deps;
  const until = now - restorableMs;
  let purged = 0;
  const purge = (id: string) =>
    turns.run(id, async () => {
      const attached = await store.attachments.idsOf(id);
      if (!(await store.conversations.deleteHidden(id, until))) return;
      await files.delete(attached);
      purged += 1;
    });
  while (true) {
    const ids = await store.conversations.hidden({ until, limit: pageSize });
    for (const id of ids) {
      if (isClosed()) return purged;
      await purge(id);
    }
    if (ids.length < pageSize) return purged;
  }
}
