import type { ConversationFields } from "@/lib/protocol/http";
import type { Usage } from "@/lib/protocol/usage";
import type { Changes, ConversationListRow, ConversationRow, PageRequest, StoredChoicePatch } from "./types";

export interface Conversations {
  create(row: ConversationRow): Promise<void>;
  /**
   * Newest `updatedAt` first, pinned ones before all others. `cursor` is opaque; an unreadable one throws `BadCursorError`.
   */
  list(
    userId: string,
    page: PageRequest & ConversationFilter,
  ): Promise<{ items: ConversationListRow[]; nextCursor: string | null }>;
  /** How many the person has: in the archive, and apart from it. */
  count(userId: string): Promise<{ listed: number; archived: number }>;
  get(userId: string, id: string): Promise<ConversationListRow | undefined>;
  /**
   * `branch` in the place of `leafId`: the message whose newest leaf (`Messages.newestLeaf`) is the leaf from now on, found
   * and written in one transaction; `not_found` without such a message. `choice` is merged into what was chosen.
   */
  update(
    id: string,
    patch: Changes<
      ConversationFields & Pick<ConversationRow, "updatedAt"> & { branch: string; choice: StoredChoicePatch }
    >,
  ): Promise<void>;
  /**
   * In one transaction: the title, if `from` is still the title, and what it has cost, added to the usage of the run.
   * Without `to` the title stays.
   */
  giveTitle(
    id: string,
    title: { from: string; to: string | undefined; runId: string; usage: Usage },
  ): Promise<void>;
  /** All of these that the person has, in one transaction; gives their ids. */
  updateMany(
    userId: string,
    ids: readonly string[],
    patch: Changes<Pick<ConversationFields, "archived" | "projectId">>,
  ): Promise<string[]>;
  /**
   * From now on nothing of it is found: neither it nor its runs, files and queued messages; a link to it is over. All of it
   * stays stored. False when it was hidden already.
   */
  hide(id: string, at: number): Promise<boolean>;
  /** Takes that back for those of the person that were not hidden at `since` or before; gives their ids. */
  restore(userId: string, ids: readonly string[], since: number): Promise<string[]>;
  /** Those of everybody that were hidden at `until` or before, longest ago first. */
  hidden(page: { until: number; limit: number }): Promise<string[]>;
  /** `delete`, if it was hidden at `until` or before, decided in the same transaction; false otherwise. */
  deleteHidden(id: string, until: number): Promise<boolean>;
  /** For ever, with its messages, runs, run logs and shares. */
  delete(id: string): Promise<void>;
  /**
   * Those of everybody that programs have had over OpenAI's wires and nobody keeps, not changed after `until`, longest ago
   * first; `removable` for all else.
   */
  unkept(page: { until: number; limit: number }): Promise<(RemovableRow & { userId: string })[]>;
  /**
   * Those that nobody has said or done anything to keep: not pinned, in no project, without a link that opens, and without
   * a run that goes on or waits. Changed longest ago first; `after` is the last one of the page before.
   */
  removable(userId: string, page: RemovablePage): Promise<RemovableRow[]>;
  /** `delete`, if it is removable and has not been changed since `updatedAt`, decided in the same transaction; false otherwise. */
  deleteRemovable(userId: string, row: Pick<RemovableRow, "id" | "updatedAt">): Promise<boolean>;
  /** About what it takes with everything that goes with it, in bytes. */
  size(id: string): Promise<number>;
}

/** What is absent is not asked for. */
export interface ConversationFilter {
  projectId?: string | undefined;
  pinned?: boolean | undefined;
  /** All words of it stand in the title, in any case and as parts of words; of another width only as they are stored. */
  title?: string | undefined;
  /** True: those in the archive, false: all others. */
  archived?: boolean | undefined;
}

export interface RemovablePage {
  limit: number;
  /** Epoch ms; those changed or imported later are not removable. */
  changedBefore: number;
  after?: RemovableRow;
}

export interface RemovableRow {
  id: string;
  updatedAt: number;
}
