import { api } from "@/lib/client/http/http";
import type { ChoicePatch } from "@/lib/protocol/choice";
import { mergeChoice } from "@/lib/protocol/choice";
import type { ConversationStore } from "./conversation-store";
import { toFailure } from "./turn-list";

/** What a person changes of a conversation without asking anything. Each resolves to whether it was done. */
export class ConversationChanges {
  private lastChoice: Promise<unknown> = Promise.resolve();

  constructor(private readonly conversation: ConversationStore) {}

  /** Resolves when the server has what was chosen last, or has refused it. */
  get choiceSettled(): Promise<unknown> {
    return this.lastChoice;
  }

  /** Shows the branch that ends there, in every browser. */
  showBranch(leafId: string): Promise<boolean> {
    return this.change({ leafId });
  }

  /** Of several models that answered the same: shows the branch of one, and asks its model from then on. */
  goOnWith(leafId: string, choice: ChoicePatch): Promise<boolean> {
    return this.change({ leafId, choice });
  }

  async rename(title: string): Promise<boolean> {
    const before = this.state.title;
    this.conversation.set({ title });
    const done = await this.change({ title });
    if (!done) this.conversation.set({ title: before });
    return done;
  }

  /** Of a temporary one: it is gone for ever. */
  end(): Promise<boolean> {
    return attempt(this.conversation, () => api(this.path, { method: "DELETE" }));
  }

  /** Applies from the next message on, in every browser; a new conversation sends it with its first message. */
  async choose(patch: ChoicePatch): Promise<boolean> {
    const before = this.state.choice;
    const choice = mergeChoice(before, patch);
    this.conversation.set({ choice });
    if (this.state.id === null) return true;
    const release = this.conversation.holdChoice();
    // One after the other, so that the last one is stored last.
    const saved = this.lastChoice.then(() => this.change({ choice: patch }));
    this.lastChoice = saved;
    const done = await saved;
    release();
    if (!done && this.state.choice === choice) this.conversation.set({ choice: before });
    return done;
  }

  private get state() {
    return this.conversation.getState();
  }

  private get path(): string {
    return `/api/conversations/${encodeURIComponent(this.state.id ?? "")}`;
  }

  private async change(patch: { leafId?: string; title?: string; choice?: ChoicePatch }): Promise<boolean> {
    const done = await attempt(this.conversation, () => api(this.path, { method: "PATCH", body: patch }));
    if (done && patch.leafId) this.conversation.leaveBranch();
    if (done) await this.conversation.refresh();
    if (done) this.conversation.announce();
    return done;
  }
}

/** Resolves to whether the work was done; if not, the conversation's `failure` says why. */
export async function attempt(
  conversation: ConversationStore,
  work: () => Promise<unknown>,
): Promise<boolean> {
  conversation.set({ failure: null });
  try {
    await work();
    return true;
  } catch (cause) {
    conversation.set({ failure: toFailure(cause) });
    return false;
  }
}
