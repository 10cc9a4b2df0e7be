import type { Chunk } from "@/lib/protocol/chunk";
import type { RunStatus } from "@/lib/protocol/http";
import type { RunEvent } from "@/lib/protocol/sse";
import type { TurnView } from "./messages-to-turns";
import { continued, reduceRun, startRun } from "./reduce-run";
import { emptyRun, type RunView } from "./run-view";

/** A run whose stream is read: where in the log the reader stands, and what it has seen. */
export class LiveRun {
  readonly abort = new AbortController();
  run: RunEvent | null = null;
  seq = 0;
  view: RunView = emptyRun;
  /** Stop was pressed before the run was known. */
  stopWanted = false;
  private base: RunView | undefined;

  /** `turn` is where it is shown: known from the start for what this page sends, else as soon as the run is. */
  constructor(
    public turn: TurnView | null,
    readonly runId: string | null = null,
  ) {}

  open(run: RunEvent, turn: TurnView | null): void {
    this.run = run;
    this.turn = turn;
    const before = turn?.answer?.view;
    const goesOn = run.continues ? before?.runId === run.continues : run.rerun !== undefined;
    this.base = before && goesOn ? continued(before) : undefined;
    this.restart();
  }

  restart(): void {
    this.seq = 0;
    this.view = startRun(this.run?.runId ?? "", this.base);
  }

  take(chunk: Chunk, seq: number): void {
    this.seq = seq;
    this.view = reduceRun(this.view, chunk);
  }

  end(status: RunStatus): void {
    this.view = { ...this.view, status };
  }

  /** The turn with what has come so far. */
  shown(): TurnView | null {
    const { turn, view } = this;
    if (!turn) return null;
    const answer = turn.answer ?? { model: null, messageId: null, siblings: [] };
    return { ...turn, answer: { ...answer, view } };
  }
}
