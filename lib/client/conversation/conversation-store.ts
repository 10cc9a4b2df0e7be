import { api, asApiError } from "@/lib/client/http/http";
import { sameOr } from "@/lib/client/http/live-store";
import type { StreamDeps } from "@/lib/client/http/stream";
import { tellTabs } from "@/lib/client/http/tabs";
import type { RunFollower } from "@/lib/client/run/run-follower";
import type { RunView } from "@/lib/client/run/run-view";
import type { ConversationDetail } from "@/lib/protocol/http";
import type { OpenedConversation } from "@/lib/protocol/opened-conversation";
import type { RunEvent } from "@/lib/protocol/sse";
import { ConversationView } from "./conversation-view";
import { titlePaceMs } from "./conversations";
import { FollowedRun } from "./followed-run";
import type { MessageQueue } from "./message-queue";
import { loadRunCode, type RunCode } from "./run-code";
import type { MessagePlace, StoredTurns } from "./stored-turns";
import { reuse, toFailure, withLiveTurn } from "./turn-list";

/** Older messages are fetched in pages of this many. */
const pageSize = 50;

/**
 * Whether a run that had begun before this was asked for writes another version of what is shown, as a run does that was
 * forked while it went on. One that has just ended is told of as such.
 */
const isElsewhere = (runId: string, { activeRunId, runs }: ConversationDetail): boolean =>
  runId !== activeRunId && !runs.some(({ id, status }) => id === runId && status !== "running");

/** A branch that is shown beside others, whatever the current one is. */
export interface BranchColumn {
  /** The message whose branch it is. */
  branch: string;
  /** How the streams of its runs are opened. */
  streams: Pick<StreamDeps, "fetch">;
}

/**
 * One conversation as this page knows it: what is stored, plus the run whose stream is read. It exists outside React,
 * so that a change of address or a remount never touches the stream.
 */
export class ConversationStore extends ConversationView {
  /** Called once, when the first message has created the conversation on the server. */
  onCreated: ((id: string) => void) | undefined;
  /** Called when a list of conversations elsewhere on the page is out of date. */
  onChanged: (() => void) | undefined;
  /** Null until something stored was fetched: a new conversation loads nothing for it. */
  private stored: StoredTurns | null = null;
  private messages: MessageQueue | null = null;
  /** Views of runs that were streamed to this page, by run. */
  private readonly views = new Map<string, RunView>();
  /** Keys of turns that were shown before their message had an id. */
  private readonly keys = new Map<string, string>();
  private readonly followed: FollowedRun;
  /** Choices that are being saved: a response that arrives meanwhile still has the old one. */
  private heldChoices = 0;
  /** While the server says that a title is to come. */
  private titleTimer: ReturnType<typeof setTimeout> | undefined;
  /** A message whose branch is shown in place of the current one. */
  private sought: string | null = null;
  /** A question is on its way whose runs are read elsewhere: what is stored does not have it yet. */
  private isHeld = false;
  /** Counts starts and ends of runs: a response to a request from before the last one is out of date. */
  private epoch = 0;
  /** Fetches are numbered: one that began earlier may come later, and is not shown then. */
  private fetches = 0;
  private shownFetch = 0;

  constructor(
    id: string | null,
    private readonly column?: BranchColumn,
  ) {
    super(id);
    this.followed = new FollowedRun({
      onFollow: () => {
        this.epoch++;
      },
      onOpen: (run) => this.set({ liveRunId: run.runId, sending: false, line: "open", failure: null }),
      onLine: (line) => this.set({ line }),
      draw: () => this.showLive(),
      onEnded: (follower) => this.onEnded(follower),
      onLost: (follower, cause) => this.onLost(follower, cause),
      turnBefore: (run) => this.stored?.turnBefore(run) ?? null,
    });
  }

  /** The run whose stream is read, from the moment a message is sent. */
  get live(): RunFollower | null {
    return this.followed.current;
  }

  /** Shows what the page has brought along, with the run in it as far as the server had it. `goOn` goes on from there. */
  bring({ detail, live }: OpenedConversation, code: RunCode): void {
    const stored = new code.StoredTurns(this.views, this.keys);
    this.stored = stored;
    this.take(detail, stored);
    // Those of a comparison are followed in their columns.
    if (live && !detail.comparison) {
      const follower = code.RunFollower.opened(live, stored.turnBefore(live.run));
      this.followed.pause(follower);
      const shown = follower.shown();
      this.set({
        liveRunId: live.run.runId,
        ...(shown && { turns: withLiveTurn(this.state.turns, shown) }),
      });
    }
    this.beginHere();
  }

  /** Follows what `bring` has shown. */
  goOn({ detail }: OpenedConversation, code: RunCode): void {
    void this.queueOf(code).load();
    this.followed.goOn();
    this.awaitTitle(detail);
  }

  /** Fetches the conversation and follows its active run, if any. Resolves to whether the fetch succeeded. */
  async refresh(): Promise<boolean> {
    const { id } = this.state;
    if (id === null) return false;
    const { epoch } = this;
    const number = ++this.fetches;
    const sought = this.column?.branch ?? this.sought;
    const followed = this.live?.run?.runId;
    const branch = sought === null ? "" : `?branch=${encodeURIComponent(sought)}`;
    try {
      const [detail, code] = await Promise.all([
        api<ConversationDetail>(`/api/conversations/${encodeURIComponent(id)}${branch}`),
        loadRunCode(),
      ]);
      if (epoch !== this.epoch || this.isHeld || (sought !== this.sought && !this.column)) return true;
      if (number < this.shownFetch) return true;
      this.shownFetch = number;
      this.stored ??= new code.StoredTurns(this.views, this.keys);
      if (followed !== undefined && isElsewhere(followed, detail)) this.detach();
      this.show(detail, this.stored);
      // What is said to all columns waits in the conversation itself.
      if (!this.column) {
        const queue = this.queueOf(code);
        queue.onRead(detail.messages.map((message) => message.id));
        void this.loadQueue(queue);
      }
      const runId = this.runHere(detail);
      if (runId && !this.live)
        void this.follow(this.followed.reopened(runId) ?? this.followerOf(code, runId));
      return true;
    } catch (cause) {
      if (!this.column && sought !== null && asApiError(cause).code === "no_such_message") {
        if (sought === this.sought) this.sought = null;
        return false;
      }
      const isGone = asApiError(cause).status === 404 && epoch === this.epoch && !this.live;
      // One that was deleted elsewhere while it is open, alone or with its project, can no longer be asked in.
      if (isGone) this.set({ phase: "missing", title: "", failure: toFailure(cause) });
      else if (this.state.phase === "loading") this.set({ phase: "failed", failure: toFailure(cause) });
      return false;
    }
  }

  /** Reads a run from its beginning. */
  followerOf({ RunFollower }: Pick<RunCode, "RunFollower">, runId: string): RunFollower {
    return new RunFollower({ runId }, null, this.column?.streams);
  }

  /** After the connection was lost: follows the run from where it was, or shows how it ended. */
  async reopen(): Promise<void> {
    if (await this.refresh()) this.set({ line: "open", failure: null });
  }

  /**
   * Shows the branch that holds a message, without choosing it; null: the current one again. What cannot be shown leaves
   * the current one.
   */
  async showBranch(messageId: string | null): Promise<"shown" | "missing" | "failed"> {
    this.sought = messageId;
    for (let attempts = 3; attempts > 0; attempts--) {
      const { epoch } = this;
      if (!(await this.refresh())) break;
      // Else a run has begun or ended meanwhile, and the response was out of date.
      if (epoch === this.epoch) return "shown";
    }
    // A refresh that is told that there is no such message looks for it no more.
    const isMissing = this.sought === null;
    this.sought = null;
    return isMissing ? "missing" : "failed";
  }

  /** The branch that is shown has become the current one, or another has. */
  leaveBranch(): void {
    this.sought = null;
    if (this.state.branchLeafId !== null) this.set({ branchLeafId: null });
  }

  /** Where a message stands; null while it is not loaded. */
  placeOf(messageId: string): MessagePlace | null {
    return this.stored?.placeOf(messageId) ?? null;
  }

  async loadOlder(size = pageSize): Promise<void> {
    const first = this.stored?.first;
    if (!this.stored || !first || !this.state.hasMore || this.state.loadingOlder) return;
    this.set({ loadingOlder: true });
    try {
      const page = await api<ConversationDetail>(
        `/api/conversations/${encodeURIComponent(this.state.id ?? "")}?before=${encodeURIComponent(first.id)}&limit=${size}`,
      );
      if (this.stored.first !== first) return;
      this.stored.addOlder(page);
      this.set({ hasMore: page.hasMore });
      this.showStored();
    } catch (cause) {
      this.set({ failure: toFailure(cause) });
    } finally {
      this.set({ loadingOlder: false });
    }
  }

  /** Stops reading; the run continues, and the next refresh follows it again. */
  detach(): void {
    this.followed.detach();
    if (this.state.liveRunId) this.set({ liveRunId: null });
  }

  /** Keeps what is shown, whatever a refresh brings, until the returned function is called. */
  hold(): () => void {
    this.isHeld = true;
    return () => {
      this.epoch++;
      this.isHeld = false;
    };
  }

  /** For a run that is about to begin: responses that are on their way do not know of it. */
  async prepareRun(): Promise<RunCode> {
    this.epoch++;
    this.sought = null;
    return loadRunCode();
  }

  /** Null until the code of runs has come: before that nothing waits. */
  get knownQueue(): MessageQueue | null {
    return this.messages;
  }

  /** What was written while an answer goes on. */
  async queue(): Promise<MessageQueue> {
    return this.queueOf(await loadRunCode());
  }

  /** The run that is under way, or else the last one; null when there is none. Waits for one that is being started. */
  knownRun(): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const look = () => {
      const { sending, liveRunId, turns } = this.state;
      if (!sending) resolve(liveRunId ?? turns.at(-1)?.answer?.view.runId ?? null);
    };
    const stop = this.subscribe(look);
    look();
    return promise.finally(stop);
  }

  /** Follows a run to its end. Resolves to whether the run could be opened, as soon as that is known. */
  follow(follower: RunFollower, onOpen?: (run: RunEvent) => void): Promise<boolean> {
    return this.followed.follow(follower, onOpen);
  }

  /** Keeps the choice that is shown, whatever a refresh brings, until the returned function is called. */
  holdChoice(): () => void {
    this.heldChoices++;
    return () => {
      this.heldChoices--;
    };
  }

  /** The server has stored the message of this run; its turn keeps the key under which it is shown. */
  onStored(run: Pick<RunEvent, "messageId" | "conversationId">, key: string): Promise<boolean> {
    this.keys.set(run.messageId, key);
    this.leaveBranch();
    if (this.state.id === null) {
      this.set({ id: run.conversationId, phase: "ready" });
      this.onCreated?.(run.conversationId);
    }
    this.announce();
    return this.refresh();
  }

  /** Tells other tabs and the list of conversations to fetch again. */
  announce(): void {
    if (this.state.id) tellTabs({ conversationId: this.state.id });
    this.onChanged?.();
  }

  /** Shows what is stored, and over it the run that is followed. */
  showStored(): void {
    this.set({ turns: this.followed.over(reuse(this.state.turns, this.stored?.turns() ?? [])) });
  }

  private async onEnded(follower: RunFollower): Promise<void> {
    // A response that is still on its way does not know the end yet.
    this.epoch++;
    if (follower.run) this.views.set(follower.run.runId, follower.view);
    const { next } = follower;
    if (follower.view.status !== "waiting") this.messages?.onEnd();
    // What waited is being asked already: until its turn is fetched, the page does not look as if nothing ran.
    this.set({ liveRunId: next, sending: false, line: "open" });
    this.onChanged?.();
    await this.refresh();
    if (next !== null && this.live === null && this.state.liveRunId === next) this.set({ liveRunId: null });
  }

  private onLost(follower: RunFollower, cause: unknown): void {
    const lost = follower.run !== null && asApiError(cause).status === 0;
    this.set({ liveRunId: null, sending: false, line: lost ? "lost" : "open", failure: toFailure(cause) });
    if (!follower.run) this.showStored();
    // Nothing can be read of it any more, by the server's own word.
    else if (!lost) void this.refresh();
  }

  private show(detail: ConversationDetail, stored: StoredTurns): void {
    const { branchLeafId = null } = detail;
    if (branchLeafId === null) this.sought = null;
    // What runs goes on in the current branch.
    else if (!this.column) this.detach();
    this.take(detail, stored);
    this.awaitTitle(detail);
  }

  /** The run that is read here; those of a comparison are read in their columns, each by its own. */
  private runHere({ activeRunId, branchLeafId, comparison, runs }: ConversationDetail): string | null {
    if (this.column) return runs.find(({ id }) => id === activeRunId)?.id ?? null;
    return branchLeafId || comparison ? null : activeRunId;
  }

  private awaitTitle({ titlePending }: ConversationDetail): void {
    clearTimeout(this.titleTimer);
    if (titlePending && !this.column) this.titleTimer = setTimeout(() => void this.refresh(), titlePaceMs);
  }

  private take(detail: ConversationDetail, stored: StoredTurns): void {
    const { branchLeafId = null, comparison } = detail;
    const { keptOlder } = stored.take(detail);
    this.set({
      // In a column it is where one is.
      branchLeafId: this.column ? null : branchLeafId,
      comparison: (comparison && sameOr(this.state.comparison ?? undefined, comparison)) ?? null,
      phase: "ready",
      title: detail.title,
      projectId: detail.projectId,
      isReadOnly: detail.readOnly === true,
      isOfProgram: detail.origin === "gateway" || detail.runs.some(({ gateway }) => gateway !== undefined),
      choice: this.heldChoices > 0 ? this.state.choice : sameOr(this.state.choice, detail.choice),
      hasMore: keptOlder ? this.state.hasMore : detail.hasMore,
      // That it could not be loaded is over.
      failure: ["loading", "failed"].includes(this.state.phase) ? null : this.state.failure,
    });
    this.showStored();
  }

  private showLive(): void {
    const { live } = this;
    if (!live) return;
    this.set({ turns: this.followed.over(this.state.turns) });
    const { steering } = live.view;
    if (steering.length > 0) this.messages?.onRead(steering.flatMap(({ id }) => id ?? []));
  }

  /** A short answer may end between the two fetches, and the next question begin: then neither tells of it. */
  private async loadQueue(queue: MessageQueue): Promise<void> {
    if ((await queue.load()) && !this.live) await this.refresh();
  }

  private queueOf(code: RunCode): MessageQueue {
    this.messages ??= new code.MessageQueue(
      () => this.knownRun(),
      (queue) => this.set({ queue }),
    );
    return this.messages;
  }
}
