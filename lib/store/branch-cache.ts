import type { Kysely } from "kysely";
import { readBranch } from "./branch";
import { hasMessage, noSuchMessage } from "./message-rows";
import type { DB } from "./schema";
import type { MessageRow } from "./types";

/** Characters of all messages that are kept, as they are stored. */
const maxTotal = 2_000_000;
/** A branch of short messages takes room as well. */
const perMessage = 100;
/** The newest messages, in which one that hangs on a known one is looked for before all are read. */
const newest = 32;

interface Kept {
  rows: readonly MessageRow[];
  /** Of each message in `rows`. */
  places: ReadonlyMap<string, number>;
  length: number;
}

/**
 * The branch of each conversation that was read last; those of conversations that were asked longest ago give way. No message
 * is ever changed, and none is deleted without its conversation: as long as the last one is there, all before it are.
 * What is kept is frozen, as all readers get the same, and who knows a message by its identity knows it again.
 */
export class BranchCache {
  private readonly kept = new Map<string, Kept>();
  private total = 0;

  constructor(private readonly db: Kysely<DB>) {}

  /** The whole branch, as `Messages.branch` gives it. */
  async read(conversationId: string, leafId: string): Promise<MessageRow[]> {
    const known = this.kept.get(conversationId);
    const place = known?.places.get(leafId);
    if (known && place !== undefined) {
      if (!(await hasMessage(this.db, conversationId, leafId))) {
        this.forget(conversationId);
        throw noSuchMessage(conversationId, leafId);
      }
      this.keep(conversationId, known);
      return known.rows.slice(0, place + 1);
    }
    const read = known && (await this.readOn(conversationId, leafId, known));
    const { rows, length } = read ?? (await readBranch(this.db, conversationId, leafId));
    const frozen = rows.map(freeze);
    this.keep(conversationId, {
      rows: frozen,
      places: new Map(frozen.map(({ id }, at) => [id, at])),
      length: length + perMessage * frozen.length,
    });
    return [...frozen];
  }

  forget(conversationId: string): void {
    this.total -= this.kept.get(conversationId)?.length ?? 0;
    this.kept.delete(conversationId);
  }

  forgetAll(): void {
    this.kept.clear();
    this.total = 0;
  }

  /** What has come behind the messages that are known; nothing where that is more than a few. */
  private async readOn(
    conversationId: string,
    leafId: string,
    { rows: before, places, length }: Kept,
  ): Promise<{ rows: MessageRow[]; length: number } | undefined> {
    const { rows, hasMore, ...read } = await readBranch(this.db, conversationId, leafId, { limit: newest });
    const fresh = rows.slice(rows.findLastIndex(({ id }) => places.has(id)) + 1);
    const place = places.get(fresh[0]?.parentId ?? "");
    if (place === undefined) return hasMore ? undefined : { rows, length: read.length };
    // Too much rather than too little: what stands on the branch before counts until all is read again.
    return { rows: [...before.slice(0, place + 1), ...fresh], length: length + read.length };
  }

  private keep(conversationId: string, branch: Kept): void {
    this.forget(conversationId);
    if (branch.length > maxTotal) return;
    this.kept.set(conversationId, branch);
    this.total += branch.length;
    for (const [oldest, { length }] of this.kept) {
      if (this.total <= maxTotal) return;
      this.kept.delete(oldest);
      this.total -= length;
    }
  }
}

/** What is frozen has been frozen whole. */
function freeze<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const each of Object.values(value)) freeze(each);
  return Object.freeze(value);
}
