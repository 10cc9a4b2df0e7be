import { messagesToTurns, type TurnView } from "@/lib/client/run/messages-to-turns";
import type { RunView } from "@/lib/client/run/run-view";
import type { ConversationDetail, RunItem, StoredMessage } from "@/lib/protocol/http";
import type { RunEvent } from "@/lib/protocol/sse";
import { mergeRuns, messagesBefore } from "./turn-list";

/** What is stored of a conversation, as far as this page has loaded it, with the views of runs that it has streamed. */
export class StoredTurns {
  private messages: StoredMessage[] = [];
  private runs: RunItem[] = [];
  private otherAnswers: readonly string[] = [];
  /** Views of runs that were streamed to this page, by run. */
  private readonly views = new Map<string, RunView>();
  /** Keys of turns that were shown before their message had an id. */
  private readonly keys = new Map<string, string>();

  get first(): StoredMessage | undefined {
    return this.messages[0];
  }

  keepView(runId: string, view: RunView): void {
    this.views.set(runId, view);
  }

  keepKey(messageId: string, key: string): void {
    this.keys.set(messageId, key);
  }

  /** Adds the newest page; `keptOlder` says whether older messages are still there before it. */
  take(detail: ConversationDetail): { keptOlder: boolean } {
    const joint = this.messages.findIndex(({ id }) => id === detail.messages[0]?.id);
    const older = joint > 0 ? this.messages.slice(0, joint) : [];
    const keptOlder = older.length > 0;
    this.messages = [...older, ...detail.messages];
    this.otherAnswers = detail.otherAnswers ?? [];
    this.runs = mergeRuns(keptOlder ? this.runs : [], detail.runs);
    return { keptOlder };
  }

  addOlder({ messages, runs }: ConversationDetail): void {
    this.messages = [...messages, ...this.messages];
    this.runs = mergeRuns(this.runs, runs);
  }

  turns(): TurnView[] {
    return this.toTurns(this.messages, this.runs);
  }

  /** The turn that a run answers, as it was before the run. */
  turnBefore(run: RunEvent): TurnView | null {
    const turns = this.toTurns(
      run.rerun ? messagesBefore(this.messages, run.rerun) : this.messages,
      this.runs.filter(({ id }) => id !== run.runId),
    );
    return turns.find(({ question }) => question?.id === run.messageId) ?? turns.at(-1) ?? null;
  }

  private toTurns(messages: StoredMessage[], runs: readonly RunItem[]): TurnView[] {
    const turns = messagesToTurns(messages, runs, (id) => this.views.get(id), this.otherAnswers);
    return turns.map((turn) => ({ ...turn, key: this.keys.get(turn.key) ?? turn.key }));
  }
}
