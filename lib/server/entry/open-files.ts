import { join } from "node:path";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { clearAttachments } from "@/lib/server/attachments/attachments";
import { BlobFolder } from "@/lib/server/attachments/blob-folder";
import { DiskFolder } from "@/lib/server/attachments/disk-folder";
import { moveFiles } from "@/lib/server/attachments/move-files";
import type { BaseDeps } from "@/lib/server/base-deps";
import { StartError } from "@/lib/server/env";
import { isStoreError } from "@/lib/server/http/store-failure";

type OpeningDeps = Pick<BaseDeps, "store" | "log"> & { env: Pick<BaseDeps["env"], "DATA_DIR"> };

/**
 * The files of attachments, where their rows are: in DATA_DIR, or in the database, into which what an earlier version kept in
 * DATA_DIR is taken first. `tell` is given a line about that each few seconds.
 */
export async function openFiles(
  { env, store, log }: OpeningDeps,
  maxBytesOf: AttachmentFiles["maxBytesOf"],
  tell: (line: string) => void,
): Promise<AttachmentFiles> {
  const dir = join(env.DATA_DIR, "attachments");
  const { blobs } = store;
  const files = blobs
    ? AttachmentFiles.inDatabase(blobs, dir, maxBytesOf)
    : AttachmentFiles.inFolder(dir, maxBytesOf);
  if (blobs)
    await moveFiles({ from: new DiskFolder(dir), to: new BlobFolder(blobs), store, log, tell }).catch(
      (cause) => {
        throw isStoreError(cause) ? new StartError(cause.message) : cause;
      },
    );
  await clearAttachments({ store, files });
  return files;
}
