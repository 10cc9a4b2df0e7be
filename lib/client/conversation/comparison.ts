import { JoinedStreams } from "@/lib/client/http/joined-streams";
import { sameOr } from "@/lib/client/http/live-store";
import { hearTabs } from "@/lib/client/http/tabs";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import type { ComparedQuestion } from "@/lib/protocol/http";
import { ChatStore, type ComparedColumns } from "./chat-store";
import type { ColumnsState, ConversationState } from "./conversation-state";

/** One of the models, with its own branch of the conversation. */
export interface Column {
  messageId: string;
  model: string;
  chat: ChatStore;
}

export type Progress = "going" | "waiting" | "ended";

/**
 * Models that answer the same beside each other, each in a branch of its own, all over one connection. What the whole
 * conversation has to know of them stands in its state: what runs, who waits, and how many have ended.
 */
export class Comparison implements ComparedColumns {
  readonly columns: readonly Column[];
  /** The message of the one that is seen, where there is room for one alone. */
  private seen: string | null = null;

  constructor(
    private readonly main: ChatStore,
    questions: readonly ComparedQuestion[],
  ) {
    const id = main.conversation.getState().id;
    const { fetch } = new JoinedStreams();
    this.columns = questions.map(({ messageId, model }) => ({
      messageId,
      model,
      chat: new ChatStore(id, { branch: messageId, streams: { fetch } }),
    }));
  }

  /** Whether it is about the same questions. */
  isOf(questions: readonly ComparedQuestion[]): boolean {
    return (
      questions.length === this.columns.length &&
      questions.every(({ messageId }, at) => messageId === this.columns[at]?.messageId)
    );
  }

  /** Follows all of them until the returned function is called. */
  open(): () => void {
    const { conversation } = this.main;
    const stops = this.columns.map(({ chat }) => chat.conversation.subscribe(() => this.tell()));
    const refresh = () => {
      if (!document.hidden) for (const { chat } of this.columns) fetchAgain(chat);
    };
    stops.push(
      hearTabs(({ conversationId }) => {
        if (conversationId === conversation.getState().id) refresh();
      }),
    );
    for (const moment of ["focus", "online"]) window.addEventListener(moment, refresh);
    for (const { chat } of this.columns) void chat.conversation.refresh();
    return () => {
      for (const moment of ["focus", "online"]) window.removeEventListener(moment, refresh);
      for (const stop of stops) stop();
      for (const { chat } of this.columns) chat.conversation.detach();
      // What goes on with the chosen one may be followed already.
      conversation.set({ columns: null, ...(conversation.live === null && { liveRunId: null }) });
    };
  }

  /** Where there is room for one column alone: which one is seen; else null. */
  see(messageId: string | null): void {
    this.seen = messageId;
    this.tell();
  }

  /** Whoever has not ended, also what waits for a person. */
  async stop(): Promise<void> {
    await Promise.all(
      this.columns.map(async ({ chat }) => {
        // What it runs is not known yet.
        if (chat.conversation.getState().phase === "loading") await chat.conversation.refresh();
        const { liveRunId, turns } = chat.conversation.getState();
        const { runId = null, status } = turns.at(-1)?.answer?.view ?? {};
        if (liveRunId !== null) return chat.stop();
        return status === "waiting" && runId !== null ? chat.stopWaiting(runId) : undefined;
      }),
    );
  }

  private tell(): void {
    const { conversation } = this.main;
    const states = this.columns.map(({ chat }) => chat.conversation.getState());
    const all = states.map(progressOf);
    const goes = states[all.indexOf("going")] ?? states[all.indexOf("waiting")];
    const seen = states[this.columns.findIndex(({ messageId }) => messageId === this.seen)];
    const columns: ColumnsState = {
      ended: all.filter((each) => each === "ended").length,
      waits: all.includes("waiting") && !all.includes("going"),
      isAsked: seen !== undefined && (answerOf(seen)?.view.pending.length ?? 0) > 0,
    };
    const liveRunId = goes?.liveRunId ?? (goes && answerOf(goes)?.view.runId) ?? null;
    const before = conversation.getState();
    // The columns draw what has come; here only what begins, waits or ends is told.
    if (before.liveRunId !== liveRunId || sameOr(before.columns ?? undefined, columns) !== before.columns)
      conversation.set({ liveRunId, columns });
    const read = states.flatMap(
      (state) => answerOf(state)?.view.steering.flatMap(({ id }) => id ?? []) ?? [],
    );
    if (read.length > 0) conversation.knownQueue?.onRead(read);
  }
}

/** How far the model of a column is; one that nothing is known of yet is at it. */
export function progressOf(state: ConversationState): Progress {
  const status = answerOf(state)?.view.status;
  if (state.liveRunId !== null || state.phase === "loading" || status === "running") return "going";
  return status === "waiting" ? "waiting" : "ended";
}

const answerOf = ({ turns }: ConversationState): TurnView["answer"] => turns.at(-1)?.answer ?? null;

function fetchAgain({ conversation }: ChatStore): void {
  const { line, failure } = conversation.getState();
  void (line === "lost" || failure?.code === "offline" ? conversation.reopen() : conversation.refresh());
}
