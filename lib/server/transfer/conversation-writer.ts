import type { FileDeps } from "@/lib/server/attachments/attachments";
import { isConflict } from "@/lib/server/http/store-failure";
import type { ImportedConversation } from "./imported";
import {
  idsIn,
  type PreparedConversation,
  prepareConversation,
  storePrepared,
  type WriteResult,
} from "./prepare-conversation";

/** Of one commit: so much is in memory twice, and nobody else writes meanwhile. */
const most = { conversations: 8, characters: 128 * 1024 };

/** Told what has become of a conversation; of those that are stored in the order of the file. */
type OnWritten = (imported: ImportedConversation, result: WriteResult) => void;

interface Waiting {
  imported: ImportedConversation;
  prepared: PreparedConversation;
}

/**
 * Stores conversations, each whole or not at all. Small ones share a commit: each waits for the disk and writes to the index
 * for the search, which costs more than what it stores. One that cannot be stored takes no other with it.
 */
export class ConversationWriter {
  private waiting: Waiting[] = [];
  private characters = 0;
  /** What the file calls those that wait: nothing of them is found in the store yet. */
  private readonly ids = new Set<string>();

  constructor(
    private readonly deps: FileDeps,
    private readonly userId: string,
    private readonly onWritten: OnWritten,
  ) {}

  /** It may be stored by a later call only; `flush` stores what waits. */
  async add(imported: ImportedConversation): Promise<void> {
    const ids = idsIn(imported);
    if (ids.some((id) => this.ids.has(id))) await this.flush();
    const prepared = await prepareConversation(this.deps, this.userId, imported);
    if (!("row" in prepared)) {
      this.onWritten(imported, prepared);
      return;
    }
    const isTooMuch = this.characters + prepared.characters > most.characters;
    if (!prepared.isPlain || isTooMuch) await this.flushBefore(prepared);
    this.waiting.push({ imported, prepared });
    this.characters += prepared.characters;
    for (const id of ids) this.ids.add(id);
    const isFull = this.waiting.length >= most.conversations || this.characters >= most.characters;
    if (!prepared.isPlain || isFull) await this.flush();
  }

  async flush(): Promise<void> {
    const waiting = this.waiting;
    [this.waiting, this.characters] = [[], 0];
    this.ids.clear();
    if (waiting.length > 1 && (await this.storeTogether(waiting))) return;
    for (const one of waiting) this.onWritten(one.imported, await this.storeAlone(one.prepared));
  }

  /** What comes next has its files on the disk already. */
  private async flushBefore({ undo }: PreparedConversation): Promise<void> {
    try {
      await this.flush();
    } catch (cause) {
      await undo();
      throw cause;
    }
  }

  /** False, and nothing is stored, when one of them cannot be. */
  private async storeTogether(waiting: readonly Waiting[]): Promise<boolean> {
    try {
      await storePrepared(
        this.deps,
        waiting.map(({ prepared }) => prepared),
      );
    } catch {
      // Which one it is, and why, is seen when each is stored by itself.
      return false;
    }
    for (const { imported, prepared } of waiting) this.onWritten(imported, prepared.result);
    return true;
  }

  private async storeAlone(prepared: PreparedConversation): Promise<WriteResult> {
    try {
      await storePrepared(this.deps, [prepared]);
      return prepared.result;
    } catch (cause) {
      // Somebody has gone on in it meanwhile.
      if (!prepared.row.extends || !isConflict(cause)) throw cause;
      return { outcome: "continued_since", conversationId: prepared.result.conversationId };
    }
  }
}
