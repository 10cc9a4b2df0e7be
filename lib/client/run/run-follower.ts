import { followRun, type RunReader, type RunSource, type StreamDeps } from "@/lib/client/http/stream";
import type { OpenedRun } from "@/lib/protocol/opened-conversation";
import type { RunEvent } from "@/lib/protocol/sse";
import type { TurnView } from "./messages-to-turns";
import { continued, openRunView, reduceRun } from "./reduce-run";
import { emptyRun, type RunView } from "./run-view";

export interface FollowerEvents {
  /** Once, when the run is known. */
  onOpen(run: RunEvent): void;
  onChange(): void;
  onLine(line: "open" | "reopening"): void;
}

/** Reads the stream of one run and folds it into the turn that shows it. */
export class RunFollower {
  run: RunEvent | null = null;
  view: RunView = emptyRun;
  /** Once this one has ended: the run that has begun with the first queued message. */
  next: string | null = null;
  /** The number of the last chunk in `view`. */
  private seq = 0;
  private base: RunView | undefined;
  private readonly closing = new AbortController();

  /** `turn` is where the run is shown: known from the start for what this page sends, else found when the run opens. */
  constructor(
    private readonly source: RunSource,
    public turn: TurnView | null = null,
    /** How its stream is opened; absent: on a connection of its own. */
    private readonly streams?: Partial<StreamDeps>,
  ) {}

  /** A reader that goes on after what a page has brought along. */
  static opened({ run, chunks, seq }: OpenedRun, turn: TurnView | null): RunFollower {
    const follower = new RunFollower({ runId: run.runId }, turn);
    follower.open(run, turn);
    follower.view = chunks.reduce(reduceRun, follower.view);
    follower.seq = seq;
    return follower;
  }

  /** Resolves at the end of the run or when closed. Throws `ApiError`. */
  follow(
    { onOpen, onChange, onLine }: FollowerEvents,
    turnBefore: (run: RunEvent) => TurnView | null,
  ): Promise<void> {
    const reader: RunReader = {
      onRun: (run) => {
        if (!this.run) this.open(run, this.turn ?? turnBefore(run));
        onOpen(run);
      },
      onChunk: (chunk, seq) => {
        this.seq = seq;
        this.view = reduceRun(this.view, chunk);
        onChange();
      },
      onReset: () => this.restart(),
      onEnd: (status, next) => {
        this.view = { ...this.view, status };
        this.next = next ?? null;
      },
      onLine,
    };
    const source = this.run ? { runId: this.run.runId, after: this.seq } : this.source;
    return followRun(source, reader, this.closing.signal, this.streams);
  }

  /** Closes the reader; the run itself continues on the server. */
  close(): void {
    this.closing.abort();
  }

  /** A second reader of the same run that starts where this one stopped. */
  reopened(): RunFollower {
    const next = new RunFollower(this.source, this.turn, this.streams);
    next.run = this.run;
    next.base = this.base;
    next.view = this.view;
    next.seq = this.seq;
    return next;
  }

  /** The turn with what has arrived so far. */
  shown(): TurnView | null {
    const { turn, view } = this;
    if (!turn) return null;
    const answer = turn.answer ?? { model: null, messageId: null, siblings: [] };
    return { ...turn, answer: { ...answer, view } };
  }

  private open(run: RunEvent, turn: TurnView | null): void {
    this.run = run;
    this.turn = turn;
    const before = turn?.answer?.view;
    const beginsWithCopies = run.rerun !== undefined || run.forkedFrom !== undefined;
    const continues = run.continues ? before?.runId === run.continues : beginsWithCopies;
    this.base = before && continues ? continued(before) : undefined;
    this.restart();
  }

  private restart(): void {
    this.seq = 0;
    this.view = openRunView(this.run?.runId ?? "", this.base);
  }
}
