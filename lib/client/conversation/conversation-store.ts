import { oncePerFrame } from "@/lib/client/http/frame";
import { api, asApiError } from "@/lib/client/http/http";
import { sameOr } from "@/lib/client/http/live-store";
import { followRun, type RunSource } from "@/lib/client/http/stream";
import { tellTabs } from "@/lib/client/http/tabs";
import { LiveRun } from "@/lib/client/run/live-run";
import type { TurnView } from "@/lib/client/run/messages-to-turns";
import type { ConversationDetail, RunItem } from "@/lib/protocol/http";
import type { RunEvent } from "@/lib/protocol/sse";
import { type ConversationState, emptyConversation } from "./conversation-state";
import { StoredTurns } from "./stored-turns";
import { reuse, toFailure } from "./turn-list";

/** Older messages come in pages of this many. */
const pageSize = 50;

/**
 * One conversation as this page knows it: what is stored, plus the run that is being read. It lives outside React, so
 * that a change of address or a remount never touches the stream.
 */
export class ConversationStore {
  protected state: ConversationState;
  protected live: LiveRun | null = null;
  private readonly stored = new StoredTurns();
  /** Choices of servers that are on their way: what comes back meanwhile is older. */
  protected choosing = 0;
  /** Called once, when the first message has made a conversation of it. */
  onBorn: ((id: string) => void) | undefined;
  /** Called when a list of conversations elsewhere on the page is out of date. */
  onChanged: (() => void) | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly frame = oncePerFrame(() => this.showLive());
  /** A reader that was closed half-way, to go on where it stood. */
  private parked: LiveRun | null = null;
  /** Counts beginnings and ends of runs: an answer from before the last one is out of date. */
  private epoch = 0;

  constructor(id: string | null) {
    this.state = { ...emptyConversation, id, phase: id === null ? "new" : "loading" };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly getState = (): ConversationState => this.state;

  /** Fetches the conversation anew and attaches to the run that goes on in it, if one does. Resolves to whether it could. */
  async refresh(): Promise<boolean> {
    const { id } = this.state;
    if (id === null) return false;
    const epoch = this.epoch;
    try {
      const detail = await api<ConversationDetail>(`/api/conversations/${encodeURIComponent(id)}`);
      if (epoch !== this.epoch) return true;
      this.take(detail);
      if (detail.activeRunId && !this.live) this.attach(detail.activeRunId);
      return true;
    } catch (cause) {
      if (this.state.phase === "loading")
        this.set({
          phase: asApiError(cause).status === 404 ? "missing" : "failed",
          failure: toFailure(cause),
        });
      return false;
    }
  }

  /** After the line was lost: takes the run up where it stood, or shows how it ended. */
  async reopen(): Promise<void> {
    if (await this.refresh()) this.set({ line: "open", failure: null });
  }

  async loadOlder(): Promise<void> {
    const { first } = this.stored;
    if (!first || !this.state.hasMore || this.state.loadingOlder) return;
    this.set({ loadingOlder: true });
    try {
      const page = await api<ConversationDetail>(
        `/api/conversations/${encodeURIComponent(this.state.id ?? "")}?before=${encodeURIComponent(first.id)}&limit=${pageSize}`,
      );
      if (this.stored.first !== first) return;
      this.stored.addOlder(page);
      this.set({ hasMore: page.hasMore });
      this.rebuild();
    } catch (cause) {
      this.set({ failure: toFailure(cause) });
    } finally {
      this.set({ loadingOlder: false });
    }
  }

  /** Closes the reader; the run goes on, and so does this store when it is wanted again. */
  rest(): void {
    this.live?.abort.abort();
    this.parked = this.live?.run ? this.live : null;
    this.live = null;
    this.frame.cancel();
    if (this.state.liveRunId) this.set({ liveRunId: null });
  }

  get isBusy(): boolean {
    return this.live !== null;
  }

  /** Reads a run to its end. Resolves to whether the run could be opened, as soon as that is known. */
  protected follow(source: RunSource, live: LiveRun, onOpen?: (run: RunEvent) => void): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.epoch++;
    this.live = live;
    const reader = {
      onRun: (run: RunEvent) => {
        if (!live.run) live.open(run, live.turn ?? this.stored.turnBefore(run));
        this.set({ liveRunId: run.runId, sending: false, line: "open", failure: null });
        this.showLive();
        onOpen?.(run);
        resolve(true);
      },
      onChunk: (...step: Parameters<LiveRun["take"]>) => {
        live.take(...step);
        this.frame.ask();
      },
      onReset: () => live.restart(),
      onEnd: (status: RunItem["status"]) => live.end(status),
      onLine: (line: "open" | "reopening") => this.set({ line }),
    };
    followRun(source, reader, live.abort.signal)
      .then(() => this.settle(live))
      .catch((cause) => this.lose(live, cause))
      .finally(() => resolve(false));
    return promise;
  }

  /** Puts a change on the screen. */
  protected set(patch: Partial<ConversationState>): void {
    this.state = { ...this.state, ...patch };
    for (const listener of this.listeners) listener();
  }

  protected adopt(run: RunEvent, key: string): void {
    this.stored.keepKey(run.messageId, key);
    if (this.state.id === null) {
      this.set({ id: run.conversationId, phase: "ready" });
      this.onBorn?.(run.conversationId);
    }
    this.announce();
    void this.refresh();
  }

  /** Other tabs and the list of conversations look again. */
  protected announce(): void {
    if (this.state.id) tellTabs({ conversationId: this.state.id });
    this.onChanged?.();
  }

  /** The stream came to its end: what it left stays on the screen, and what is stored is fetched beside it. */
  private settle(live: LiveRun): void {
    if (this.live !== live) return;
    // What was asked for before does not know the end yet.
    this.epoch++;
    this.showLive();
    if (live.run) this.stored.keepView(live.run.runId, live.view);
    this.live = null;
    this.set({ liveRunId: null, sending: false, line: "open" });
    this.onChanged?.();
    void this.refresh();
  }

  private lose(live: LiveRun, cause: unknown): void {
    if (this.live !== live) return;
    this.frame.cancel();
    this.live = null;
    const lost = live.run !== null && asApiError(cause).status === 0;
    if (live.run) this.parked = live;
    this.set({ liveRunId: null, sending: false, line: lost ? "lost" : "open", failure: toFailure(cause) });
    if (!live.run) this.rebuild();
  }

  private attach(runId: string): void {
    const parked = this.parked?.run?.runId === runId ? this.parked : null;
    this.parked = null;
    if (!parked) return void this.follow({ runId }, new LiveRun(null, runId));
    const live = new LiveRun(null, runId);
    if (parked.run) live.open(parked.run, parked.turn);
    live.view = parked.view;
    live.seq = parked.seq;
    void this.follow({ runId, after: parked.seq }, live);
  }

  private take(detail: ConversationDetail): void {
    const { keptOlder } = this.stored.take(detail);
    this.set({
      phase: "ready",
      title: detail.title,
      choice: this.choosing > 0 ? this.state.choice : sameOr(this.state.choice, detail.choice),
      hasMore: keptOlder ? this.state.hasMore : detail.hasMore,
      failure: this.state.phase === "loading" ? null : this.state.failure,
    });
    this.rebuild();
  }

  protected rebuild(): void {
    this.set({ turns: this.withLive(reuse(this.state.turns, this.stored.turns())) });
  }

  private showLive(): void {
    if (this.live) this.set({ turns: this.withLive(this.state.turns) });
  }

  /** The live run is at the leaf: its turn is the last one. */
  private withLive(turns: readonly TurnView[]): readonly TurnView[] {
    const shown = this.live?.shown();
    if (!shown) return turns;
    const at = turns.findIndex(({ key }) => key === shown.key);
    const stored = turns[at];
    if (!stored) return [...turns, shown];
    const answer = shown.answer && {
      ...shown.answer,
      model: shown.answer.model ?? stored.answer?.model ?? null,
      agent: shown.answer.agent ?? stored.answer?.agent ?? null,
    };
    return [...turns.slice(0, at), { ...shown, question: stored.question ?? shown.question, answer }];
  }
}
