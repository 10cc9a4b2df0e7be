import { SeenTexts } from "@/lib/agent/data-flow/seen-texts";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { Store } from "@/lib/store/ports";

type TextStore = Pick<Store, "messages" | "members">;

/** Sessions that are kept; what is known of another one is read again. */
const maxSessions = 32;
/** Messages that are read of a session. */
const maxMessages = 400;
/** In UTF-16 code units of results: who has got more is read again, without what is oldest. */
const maxAdded = 4_000_000;
/** Clocks of instances differ by less, and no call takes as long to be stored. */
const overlapMs = 30_000;

interface Kept {
  seen: SeenTexts;
  /** Epoch ms. */
  readAt: number;
  added: number;
}

/**
 * What servers have said to one program. Its calls stand side by side, so that the history of one has nothing of the others: what
 * goes from server to server is seen here.
 */
class SessionTexts {
  private readonly sessions = new Map<string, Kept>();

  constructor(private readonly store: TextStore) {}

  /** By the conversation of the session. */
  async of(conversationId: string): Promise<SeenTexts> {
    const known = this.sessions.get(conversationId);
    const isKnown = known !== undefined && known.added <= maxAdded;
    const kept: Kept = isKnown ? known : { seen: new SeenTexts(), readAt: 0, added: 0 };
    // What other instances have called is in the store alone.
    if (!isKnown || this.store.members.mayBeMany) await this.read(conversationId, kept);
    this.sessions.delete(conversationId);
    this.sessions.set(conversationId, kept);
    for (const oldest of this.sessions.keys()) {
      if (this.sessions.size <= maxSessions) break;
      this.sessions.delete(oldest);
    }
    return kept.seen;
  }

  /** The program has it before it is stored with the others. */
  add(conversationId: string, call: ToolCall, result: ToolResult): void {
    const kept = this.sessions.get(conversationId);
    if (!kept) return;
    kept.seen.add({ type: "tool_call", call });
    kept.seen.add({ type: "tool_result", result, durationMs: 0 });
    kept.added += lengthOf(result);
  }

  private async read(conversationId: string, kept: Kept): Promise<void> {
    const since = kept.readAt;
    kept.readAt = Date.now() - overlapMs;
    const rows = await this.store.messages.newest(conversationId, { since, limit: maxMessages });
    // A result that is known already counts once.
    for (const { message } of rows) {
      kept.seen.addMessage(message);
      if (message.role === "tool") for (const result of message.results) kept.added += lengthOf(result);
    }
  }
}

const lengthOf = ({ content }: ToolResult): number =>
  content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0);

const byStore = new WeakMap<object, SessionTexts>();

/** One for each store. */
export function sessionTexts(store: TextStore): SessionTexts {
  const known = byStore.get(store) ?? new SessionTexts(store);
  byStore.set(store, known);
  return known;
}
