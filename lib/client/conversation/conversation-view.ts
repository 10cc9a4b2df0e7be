import { isTemporaryId } from "@/lib/protocol/temporary";
import { type ConversationState, emptyConversation } from "./conversation-state";
import { steady } from "./steady-state";

/** What the page shows of one conversation, for whoever draws it. */
export class ConversationView {
  protected state: ConversationState;
  private outline: ConversationState;
  private unread: ConversationState;
  private readonly listeners = new Set<() => void>();

  constructor(id: string | null) {
    const isTemporary = isTemporaryId(id ?? "");
    this.state = { ...emptyConversation, id, isTemporary, phase: id === null ? "new" : "loading" };
    this.outline = this.unread = this.state;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): ConversationState => this.state;

  /** The state of when something last began, was asked or ended: while text streams it stays the same object. */
  readonly getOutline = (): ConversationState => this.outline;

  /** The state before anything was fetched: what the page has brought along, as the server draws it. */
  readonly getUnread = (): ConversationState => this.unread;

  set(patch: Partial<ConversationState>): void {
    this.state = { ...this.state, ...patch };
    this.outline = steady(this.outline, this.state);
    for (const listener of this.listeners) listener();
  }

  /** The page begins with the state of now. */
  protected beginHere(): void {
    this.outline = this.unread = this.state;
  }
}
