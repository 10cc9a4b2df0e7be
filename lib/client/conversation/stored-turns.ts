import { isQuestion } from "@/lib/client/run/answer-chain";
import { messagesToTurns, type TurnView } from "@/lib/client/run/messages-to-turns";
import type { RunView } from "@/lib/client/run/run-view";
import type { ConversationDetail, RunItem, StoredMessage } from "@/lib/protocol/http";
import { keepBefore, type Rerun } from "@/lib/protocol/rerun";
import type { RunEvent } from "@/lib/protocol/sse";

/** Where a message stands in the thread. */
export interface MessagePlace {
  message: StoredMessage;
  /** Key of its turn. */
  turn: string;
  /** Of an answer's message: that of its loop, from 1. */
  loop: number;
}

/** What is stored of a conversation, as far as this page has loaded it, with the views of runs that it has streamed. */
export class StoredTurns {
  private messages: StoredMessage[] = [];
  private runs: RunItem[] = [];
  private otherAnswers: readonly string[] = [];

  /** By run, and by message: views and keys that this page has shown already. */
  constructor(
    private readonly views: ReadonlyMap<string, RunView>,
    private readonly keys: ReadonlyMap<string, string>,
  ) {}

  get first(): StoredMessage | undefined {
    return this.messages[0];
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

  placeOf(id: string): MessagePlace | null {
    const at = this.messages.findIndex((message) => message.id === id);
    const message = this.messages[at];
    if (!message) return null;
    const begin = this.messages.findLastIndex((each, index) => index <= at && isQuestion(each));
    const first = this.messages[begin] ?? this.messages[0] ?? message;
    const before = this.messages.slice(Math.max(begin, 0), at + 1);
    return {
      message,
      turn: this.keys.get(first.id) ?? first.id,
      loop: before.filter(({ role }) => role === "assistant").length,
    };
  }

  /** The turn that a run answers, as it was before the run; of a fork, with the copies that it begins with. */
  turnBefore(run: RunEvent): TurnView | null {
    const turns = run.forkedFrom ? this.forkedTurns(run) : this.earlierTurns(run);
    return turns.find(({ question }) => question?.id === run.messageId) ?? turns.at(-1) ?? null;
  }

  private earlierTurns({ runId, rerun }: RunEvent): TurnView[] {
    return this.toTurns(
      rerun ? messagesBefore(this.messages, rerun) : this.messages,
      this.runs.filter(({ id }) => id !== runId),
    );
  }

  /** Without the fork its copies would be taken for the whole of the run that they come from. */
  private forkedTurns({ runId }: RunEvent): TurnView[] {
    return this.toTurns(
      this.messages.filter((message) => message.runId !== runId),
      this.runs.map((run) => (run.id === runId ? asBegun(run) : run)),
      (id) => (id === runId ? undefined : this.views.get(id)),
    );
  }

  private toTurns(
    messages: StoredMessage[],
    runs: readonly RunItem[],
    known = (id: string) => this.views.get(id),
  ): TurnView[] {
    const turns = messagesToTurns(messages, runs, known, this.otherAnswers);
    return turns.map((turn) => ({ ...turn, key: this.keys.get(turn.key) ?? turn.key }));
  }
}

/** The messages that stay when a call runs again; all of them if they have been cut already. */
function messagesBefore(messages: StoredMessage[], rerun: Rerun): StoredMessage[] {
  const kept = keepBefore(messages, rerun);
  return kept
    ? kept.flatMap(({ at, message }) => {
        const stored = messages[at];
        return stored ? [{ ...stored, ...message } as StoredMessage] : [];
      })
    : messages;
}

const asBegun = ({ answers: _, ...run }: RunItem): RunItem => ({
  ...run,
  ...{ status: "running", stopReason: null, endedAt: null, error: null },
  ...{ iterations: [], answeredCalls: [], pending: [] },
});

/** Known runs with fresh ones in their place, in the order in which they started. */
function mergeRuns(known: readonly RunItem[], fresh: readonly RunItem[]): RunItem[] {
  const ids = new Set(fresh.map(({ id }) => id));
  return [...known.filter(({ id }) => !ids.has(id)), ...fresh].sort((a, b) =>
    a.startedAt.localeCompare(b.startedAt),
  );
}
