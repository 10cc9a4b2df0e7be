import { setImmediate as nextTurn } from "node:timers/promises";
import type { DataUsage, Retention, RetentionForecast } from "@/lib/protocol/data";
import type { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { Conversations, RemovableRow } from "@/lib/store/conversation-ports";

export type UsageDeps = Pick<BaseDeps, "store"> & { files: Pick<AttachmentFiles, "usage"> };

const dayMs = 86_400_000;
const pageSize = 50;
/** A forecast tells of no more: beyond it the number says nothing new. */
const maxCounted = 2_000;

/** What is stored, by kind; with `days` or `bytes` also what such a retention would delete. */
export async function readUsage(
  deps: UsageDeps,
  userId: string,
  retention: Retention,
): Promise<Omit<DataUsage, "disk">> {
  const [database, files] = await Promise.all([deps.store.usage(), deps.files.usage()]);
  const kinds = { ...database, attachments: database.attachments + files.bytes };
  const total = Object.values(kinds).reduce((sum, bytes) => sum + bytes, 0);
  const usage = { total, kinds, ...(files.free !== undefined && { free: files.free }) };
  const isAsked = retention.days !== undefined || retention.bytes !== undefined;
  return isAsked ? { ...usage, wouldDelete: await forecast(deps, userId, retention, usage) } : usage;
}

async function forecast(
  deps: UsageDeps,
  userId: string,
  retention: Retention,
  usage: Pick<DataUsage, "total" | "kinds">,
): Promise<RetentionForecast> {
  let conversations = 0;
  let bytes = 0;
  for await (const { size } of surplus(deps, userId, retention, usage)) {
    if (conversations === maxCounted) return { conversations, bytes, isCut: true };
    conversations += 1;
    bytes += size;
  }
  return { conversations, bytes, isCut: false };
}

/** What was deleted takes its space until it is purged: nothing else has to go for it. */
async function sizeOfDeleted(conversations: Conversations, until: number): Promise<number> {
  let bytes = 0;
  for (const id of await conversations.hidden({ until, limit: maxCounted })) {
    bytes += await conversations.size(id);
    await nextTurn();
  }
  return bytes;
}

/**
 * The conversations that a retention does not keep, changed longest ago first: those that are too old, and as many more
 * as take what is too much, for which alone `usage` is looked at. None that was changed within a day. Whoever deletes them may take their time in between.
 */
export async function* surplus(
  { store }: UsageDeps,
  userId: string,
  { days, bytes }: Retention,
  usage?: Pick<DataUsage, "total" | "kinds">,
): AsyncGenerator<RemovableRow & { size: number }, void> {
  const now = Date.now();
  const oldest = days === undefined ? 0 : now - days * dayMs;
  let excess = 0;
  if (bytes !== undefined && usage)
    excess = usage.total - usage.kinds.unused - bytes - (await sizeOfDeleted(store.conversations, now));
  let after: RemovableRow | undefined;
  while (true) {
    const changedBefore = excess > 0 ? now - dayMs : oldest;
    const page = await store.conversations.removable(userId, {
      limit: pageSize,
      changedBefore,
      ...(after && { after }),
    });
    for (const row of page) {
      if (excess <= 0 && row.updatedAt >= oldest) return;
      const size = await store.conversations.size(row.id);
      excess -= size;
      yield { ...row, size };
      await nextTurn();
    }
    after = page.at(-1);
    if (page.length < pageSize) return;
  }
}
