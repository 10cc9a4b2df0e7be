import type { Logger } from "pino";
import { maxTemporaryBytes, temporaryForMs } from "@/lib/protocol/temporary";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { MemoryFolder, noCopies } from "@/lib/server/attachments/memory-folder";
import type { BaseDeps } from "@/lib/server/base-deps";
import { askWaiting } from "@/lib/server/conversations/ask-waiting";
import type { ChatDeps } from "@/lib/server/conversations/chat";
import { deleteConversation } from "@/lib/server/conversations/delete-conversation";
import { newTemporaryId } from "@/lib/server/ids";
import { followSignIns } from "@/lib/server/runs/sign-in-answers";
import type { MemoryRoom } from "@/lib/store/memory-room";
import { openMemoryStore } from "@/lib/store/open-memory-store";
import type { Store } from "@/lib/store/ports";

/** How often is looked for those that were left. */
const everyMs = 60_000;

interface Options {
  now?: () => number;
  maxBytes?: number;
  leftForMs?: number;
}

type SpaceDeps = ChatDeps & Pick<BaseDeps, "log" | "store">;

/** What temporary chats run on, as long as there are any. */
interface Space<Deps> {
  deps: Deps;
  room: MemoryRoom;
  /** By conversation, when it was last asked for. */
  used: Map<string, number>;
  /** Who has begun one, or attached a file to begin with. */
  people: Set<string>;
  /** Of `followSignIns`. */
  unfollow(): void;
}

/**
 * Conversations that are in memory alone. They run on the same use cases as all others, over a store and files of their own; the
 * first one opens both. People share the room that there is.
 */
export class TemporaryChats<Deps extends SpaceDeps> {
  private space: Promise<Space<Deps>> | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly now: () => number;
  private readonly maxBytes: number;
  private readonly leftForMs: number;

  constructor(
    private readonly base: () => Deps,
    { now = Date.now, maxBytes = maxTemporaryBytes, leftForMs = temporaryForMs }: Options = {},
  ) {
    this.now = now;
    this.maxBytes = maxBytes;
    this.leftForMs = leftForMs;
    this.timer = setInterval(() => void this.sweep(), everyMs).unref();
  }

  /** For one that this person begins, or a file of it. */
  async begin(userId: string): Promise<Pick<Space<Deps>, "deps" | "room">> {
    // One that could not be opened is not what the next one gets.
    this.space ??= this.open().catch((cause) => {
      this.space = undefined;
      throw cause;
    });
    const space = await this.space;
    space.people.add(userId);
    return space;
  }

  /**
   * What this person's conversation, run or file with this id is in; undefined when it has ended, and when it is somebody
   * else's. Asking for it is using it.
   */
  async find(userId: string, id: string): Promise<Pick<Space<Deps>, "deps" | "room"> | undefined> {
    const space = await this.space;
    const conversationId = space && (await conversationOf(space.deps.store, userId, id));
    if (!space || conversationId === undefined) return undefined;
    if (conversationId === null) return space;
    if (await this.isLeft(space, userId, conversationId)) {
      await this.end(space, userId, conversationId);
      return undefined;
    }
    space.used.set(conversationId, this.now());
    return space;
  }

  /** Ends those that were left, and deletes the files that no message has taken up. Never rejects: what fails is logged. */
  async sweep(): Promise<void> {
    // Who asks for what cannot be opened is told why.
    const space = await this.space?.catch(() => undefined);
    if (!space) return;
    const { store, files, log } = space.deps;
    const tell = (err: unknown) =>
      log.error({ err }, "not all temporary chats that were left have ended; it is tried again in a minute");
    try {
      for (const userId of space.people)
        for (const { id } of await store.outlines.all(userId))
          await this.endIfLeft(space, userId, id).catch(tell);
      await files.delete(await store.attachments.deleteLoose(this.now() - this.leftForMs));
    } catch (err) {
      tell(err);
    }
  }

  /** Those of one person. */
  async endOf(userId: string): Promise<void> {
    const space = await this.space;
    if (!space?.people.has(userId)) return;
    for (const { id } of await space.deps.store.outlines.all(userId)) await this.end(space, userId, id);
  }

  async endAll(): Promise<void> {
    const space = await this.space;
    if (!space) return;
    const { store, files } = space.deps;
    for (const userId of space.people) await this.endOf(userId);
    await store.attachments.deleteLoose(Number.MAX_SAFE_INTEGER);
    await files.sweep(new Set());
  }

  /** With the process: what is left goes with it. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    const space = await this.space;
    space?.unfollow();
    await space?.deps.store.close();
  }

  private end({ deps }: Space<Deps>, userId: string, id: string): Promise<void> {
    return deleteConversation(deps, userId, id);
  }

  private async endIfLeft(space: Space<Deps>, userId: string, id: string): Promise<void> {
    if (await this.isLeft(space, userId, id)) await this.end(space, userId, id);
  }

  private async isLeft({ deps, used }: Space<Deps>, userId: string, id: string): Promise<boolean> {
    if (deps.runs.ofConversation(id).length > 0) return false;
    const updatedAt = (await deps.store.conversations.get(userId, id))?.updatedAt ?? 0;
    return this.now() - Math.max(updatedAt, used.get(id) ?? 0) >= this.leftForMs;
  }

  private async open(): Promise<Space<Deps>> {
    const base = this.base();
    const { store: memory, room } = await openMemoryStore(this.maxBytes);
    const files = new AttachmentFiles(
      new MemoryFolder(room),
      async () => this.maxBytes,
      noCopies,
      newTemporaryId,
    );
    const used = new Map<string, number>();
    const deps: Deps = {
      ...base,
      store: join(memory, base.store, files, {
        onDeleted: (id) => used.delete(id),
        onFault: (err) => base.log.error({ err }, "the use of a temporary answer was not counted"),
      }),
      files,
      log: withoutContent(base.log),
      tracing: undefined,
      askWaiting: (ended, chainId) => askWaiting(deps, ended, chainId),
    };
    return { deps, room, used, people: new Set(), unfollow: followSignIns(deps) };
  }
}

/** How Meguri is set up is the same for all; what is said, run and attached is in memory. To hide is to delete: nothing brings it back. */
function join(
  memory: Store,
  base: Store,
  files: AttachmentFiles,
  { onDeleted, onFault }: { onDeleted(id: string): void; onFault(err: unknown): void },
): Store {
  const { settings, approvals, assistants, prompts, projects, accounts, invitations, tokens, usageDays } =
    base;
  return {
    ...memory,
    ...{ settings, approvals, assistants, prompts, projects, accounts, invitations, tokens, usageDays },
    runs: {
      ...memory.runs,
      async finish(id, end, messages) {
        await memory.runs.finish(id, end, messages);
        const [run] = await memory.runs.many([id]);
        // It has ended, whatever becomes of the count.
        if (run) await usageDays.add(run.userId, end.endedAt, end.result.usage).catch(onFault);
      },
    },
    conversations: {
      ...memory.conversations,
      async hide(id) {
        const attached = await memory.attachments.idsOf(id);
        await memory.conversations.delete(id);
        await files.delete(attached);
        onDeleted(id);
        return true;
      },
    },
  };
}

/** Faults may quote what was said, so that only their kind is logged. */
const withoutContent = (log: Logger): Logger =>
  log.child(
    {},
    { serializers: { err: ({ name, code }: { name?: unknown; code?: unknown }) => ({ type: name, code }) } },
  );

/** Null for a file that no message has taken up; undefined where nothing has this id. */
async function conversationOf(store: Store, userId: string, id: string): Promise<string | null | undefined> {
  const [conversation, run, file] = await Promise.all([
    store.conversations.get(userId, id),
    store.runs.get(userId, id),
    store.attachments.get(userId, id),
  ]);
  return conversation?.id ?? run?.conversationId ?? file?.conversationId ?? (file && null);
}
