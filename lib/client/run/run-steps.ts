import type { Chunk } from "@/lib/protocol/chunk";
import type { RunIteration, RunStatus } from "@/lib/protocol/http";
import { callOf } from "@/lib/protocol/pending-requests";
import { TimelineFold } from "@/lib/protocol/timeline";
import { openRunView, reduceRun } from "./reduce-run";
import type { ModelStep, Step, StepLoop, TurnPlace, WaitStep } from "./run-step";
import { emptyRun, type RunView, type ToolView } from "./run-view";
import { StepTimes } from "./step-times";

/**
 * The timeline of a run and the runs that continue it, from the same folds as the chat and the API. A look at it makes the
 * loops anew that have changed since the one before; all others stay the same objects.
 */
export class RunSteps {
  view: RunView = emptyRun;
  private readonly fold = new TimelineFold();
  /** Beside each of `fold.iterations`. */
  private readonly turns: Turn[] = [];
  /** The newest turn of each agent. */
  private readonly newest = new Map<string, number>();
  private readonly openTurns = new Set<number>();
  private readonly changed = new Set<number>();
  private readonly times = new StepTimes((turn) => this.changed.add(turn));
  private lastAt = 0;
  /** Turns of the run that is being read. */
  private turnsInRun = 0;
  private built: readonly StepLoop[] = [];

  /** Begins with a run, or goes on with the one that continues the last. */
  begin(runId: string): void {
    this.view = openRunView(runId, this.view);
    this.turnsInRun = 0;
  }

  /** How the run stands, where its log does not say it. */
  setStatus(status: RunStatus): void {
    this.view = { ...this.view, status };
  }

  add(chunk: Chunk): void {
    const before = this.lastAt;
    const count = this.view.loops.length;
    this.lastAt = chunk.at ?? before;
    this.view = reduceRun(this.view, chunk);
    this.fold.add(chunk);
    const { agent = "" } = chunk;
    if (chunk.type === "iteration") this.beginTurn(agent, before, this.view.loops.length === count);
    const turn = this.newest.get(agent);
    switch (chunk.type) {
      case "usage":
        if (chunk.stopReason) this.endTurn(turn, this.lastAt);
        break;
      case "notice":
        if (chunk.kind === "retry" && turn !== undefined)
          this.turns[turn]?.retries.push({ at: this.lastAt, message: chunk.message });
        break;
      case "tool_input":
        this.times.announce(chunk.id, turn);
        break;
      case "tool_call":
        this.times.announce(chunk.call.id, turn);
        break;
      case "tool_start":
        this.times.start(chunk.id, this.lastAt);
        break;
      case "tool_progress":
        this.times.touch(chunk.id);
        break;
      case "tool_result":
        this.times.settle(chunk.result.id, this.lastAt);
        break;
      case "approval_request":
      case "input_request":
      case "budget_request":
      case "step_request":
        this.times.ask(chunk, this.lastAt, Math.max(0, this.turns.length - 1));
        break;
      case "answer":
        if (chunk.id !== undefined) this.times.touch(chunk.id);
        this.times.answer(chunk.requestId, chunk.answer, this.lastAt);
        break;
      case "result":
        this.end(chunk.result.stopReason === "interrupted" ? before : this.lastAt);
        break;
      case "iteration":
      case "request":
      case "text":
      case "reasoning":
      case "tool_state":
      case "message":
      case "agent":
        break;
    }
    if (turn !== undefined) this.changed.add(turn);
  }

  /** Loops as they are now, in the order in which they began. */
  loops(): readonly StepLoop[] {
    if (this.changed.size === 0) return this.built;
    const built = [...this.built];
    // What a fork asks before its first turn is shown with that turn.
    for (const at of this.changed) if (at < this.turns.length) built[at] = this.loop(at);
    this.changed.clear();
    this.built = built;
    return built;
  }

  private loop(at: number): StepLoop {
    const turn = this.turns[at] ?? noTurn;
    const { limit, agent, usage, timeToFirstTokenMs, copied } = this.fold.iterations[at] ?? noIteration;
    const written = this.view.loops[turn.loop]?.items ?? [];
    const waits = this.times.waitsIn(at);
    const model: ModelStep = {
      kind: "model",
      key: `model ${at + 1}`,
      place: turn.place,
      from: turn.from,
      firstTokenAt: timeToFirstTokenMs === null ? null : turn.from + timeToFirstTokenMs,
      to: turn.to,
      usage: { ...usage },
      ...(copied && { copied }),
      retries: [...turn.retries],
      items: written.filter(({ kind }) => kind !== "tool"),
    };
    const calls = written.flatMap((item) => (item.kind === "tool" ? this.callSteps(item, waits) : []));
    const others = waits.filter(({ key }) => !calls.some((step) => step.key === key));
    const steps = [model, ...calls, ...others];
    const isOpen = steps.some((step) => step.from !== null && step.to === null);
    return {
      number: at + 1,
      ...(agent !== undefined && { agent }),
      from: turn.from,
      to: isOpen ? null : Math.max(turn.from, ...steps.map((step) => step.to ?? 0)),
      limit: limit ?? null,
      steps,
    };
  }

  /** A call after what was asked about it. */
  private callSteps(item: ToolView, waits: readonly WaitStep[]): Step[] {
    return [
      ...waits.filter(({ request }) => callOf(request) === item.id),
      { kind: "call", key: `call ${item.id}`, ...this.times.ofCall(item.id), item },
    ];
  }

  /** `comesAgain`: the one before has only waited in step mode, and its loop has made room for this one. */
  private beginTurn(agent: string, before: number, comesAgain: boolean): void {
    const last = this.newest.get(agent);
    this.endTurn(last, before);
    if (comesAgain && last !== undefined) this.leaveLoop(last);
    const at = this.turns.length;
    this.turns.push({
      place: { runId: this.view.runId ?? "", index: ++this.turnsInRun },
      loop: this.view.loops.length - 1,
      ...{ from: this.lastAt, to: null, retries: [] },
    });
    this.newest.set(agent, at);
    this.openTurns.add(at);
  }

  private leaveLoop(at: number): void {
    const gone = this.turns[at]?.loop ?? -1;
    for (const [index, turn] of this.turns.entries())
      if (turn.loop === gone) turn.loop = -1;
      else if (turn.loop > gone) {
        turn.loop--;
        this.changed.add(index);
      }
  }

  private endTurn(at: number | undefined, time: number): void {
    const turn = at === undefined ? undefined : this.turns[at];
    if (at === undefined || !turn) return;
    turn.to ??= time;
    this.openTurns.delete(at);
    this.changed.add(at);
  }

  /** What waits for a person, and a call that was sent and waits there for an answer, go on after the run. */
  private end(at: number): void {
    for (const turn of [...this.openTurns]) this.endTurn(turn, at);
    if (this.view.status !== "waiting") this.times.end(at);
  }
}

interface Turn {
  place: TurnPlace;
  /** Its place in `view.loops`. */
  loop: number;
  from: number;
  to: number | null;
  retries: { at: number; message: string }[];
}

const noTurn: Turn = { place: { runId: "", index: 0 }, loop: -1, from: 0, to: 0, retries: [] };
const noIteration: RunIteration = {
  ...{ index: 0, startedAt: "", timeToFirstTokenMs: null, latencyMs: null, toolCalls: [] },
  usage: { inputTokens: 0, outputTokens: 0 },
};
