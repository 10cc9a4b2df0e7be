import type { Answer } from "@/lib/protocol/answer";
import type { Chunk, PendingRequest } from "@/lib/protocol/chunk";
import type { RunIteration, RunStatus } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import { callOf } from "@/lib/protocol/pending-requests";
import { TimelineFold } from "@/lib/protocol/timeline";
import { openRunView, reduceRun } from "./reduce-run";
import { emptyRun, type LoopItem, type RunView, type ToolView } from "./run-view";

/** One row of the timeline. Times are epoch ms; `to` is null while it goes on, `from` while it has not begun. */
export type Step = ModelStep | CallStep | WaitStep;

/** A turn as `GET /api/runs/:id/requests/:index` names it. */
export interface TurnPlace {
  runId: string;
  /** From 1, within that run. */
  index: number;
}

export interface ModelStep {
  kind: "model";
  key: string;
  place: TurnPlace;
  from: number;
  firstTokenAt: number | null;
  to: number | null;
  /** Of the turn alone. */
  usage: RunIteration["usage"];
  /** When it was asked again, oldest first. */
  retries: readonly { at: number; message: string }[];
  /** What the model wrote, thoughts included; its calls have rows of their own. */
  items: readonly LoopItem[];
}

export interface CallStep {
  kind: "call";
  key: string;
  from: number | null;
  to: number | null;
  item: ToolView;
}

export interface WaitStep {
  kind: "wait";
  key: string;
  from: number;
  to: number | null;
  request: PendingRequest;
  answer: Answer | null;
}

/** A turn of the model with its calls and questions. */
export interface StepLoop {
  /** From 1, in the order in which they began. */
  number: number;
  /** Path of the agent of a workflow. */
  agent?: string;
  from: number;
  to: number | null;
  limit: number | null;
  steps: readonly Step[];
}

/** The timeline of a run and the runs that continue it, from the same folds as the chat and the API. */
export class RunSteps {
  view: RunView = emptyRun;
  private readonly fold = new TimelineFold();
  /** Beside each of `fold.iterations`. */
  private readonly turns: Turn[] = [];
  private readonly calls = new Map<ToolCallId, { from: number; to: number | null }>();
  private readonly waits = new Map<string, WaitStep & { turn: number }>();
  private lastAt = 0;
  /** Turns of the run that is being read. */
  private turnsInRun = 0;

  /** Begins with a run, or goes on with the one that continues the last. */
  open(runId: string): void {
    this.view = openRunView(runId, this.view);
    this.turnsInRun = 0;
  }

  /** How the run stands, where its log does not say it. */
  setStatus(status: RunStatus): void {
    this.view = { ...this.view, status };
  }

  add(chunk: Chunk): void {
    const before = this.lastAt;
    this.lastAt = chunk.at ?? before;
    this.view = reduceRun(this.view, chunk);
    this.fold.add(chunk);
    const { agent = "" } = chunk;
    switch (chunk.type) {
      case "iteration":
        this.closeTurn(agent, before);
        this.turns.push({
          agent,
          place: { runId: this.view.runId ?? "", index: ++this.turnsInRun },
          loop: this.view.loops.length - 1,
          from: this.lastAt,
          to: null,
          retries: [],
        });
        break;
      case "usage":
        if (chunk.stopReason) this.closeTurn(agent, this.lastAt);
        break;
      case "notice":
        if (chunk.kind === "retry")
          this.turns
            .findLast((turn) => turn.agent === agent)
            ?.retries.push({ at: this.lastAt, message: chunk.message });
        break;
      case "tool_start":
        this.calls.set(chunk.id, { from: this.lastAt, to: null });
        break;
      case "tool_result":
        this.settle(chunk.result.id);
        break;
      case "approval_request":
      case "input_request":
      case "budget_request":
      case "step_request":
        this.ask(chunk);
        break;
      case "answer":
        this.answer(chunk);
        break;
      case "result":
        this.end(chunk.result.stopReason === "interrupted" ? before : this.lastAt);
        break;
      case "request":
      case "text":
      case "reasoning":
      case "tool_input":
      case "tool_call":
      case "tool_progress":
      case "tool_state":
      case "message":
      case "agent":
        break;
    }
  }

  /** Loops as they are now, those of an agent together, in the order in which the agents began. */
  loops(): StepLoop[] {
    const items = new Map<ToolCallId, ToolView>();
    for (const loop of this.view.loops)
      for (const item of loop.items) if (item.kind === "tool") items.set(item.id, item);
    const waitsOf = Map.groupBy(this.waits.values(), ({ turn }) => turn);
    const all = this.fold.iterations.map((iteration, at) => this.loop(iteration, at, items, waitsOf.get(at)));
    if (all.every(({ agent }) => agent === undefined)) return all;
    return [...Map.groupBy(all, ({ agent }) => agent).values()].flat();
  }

  private loop(
    { limit, agent, usage, timeToFirstTokenMs }: RunIteration,
    at: number,
    items: ReadonlyMap<ToolCallId, ToolView>,
    waits: readonly WaitStep[] = [],
  ): StepLoop {
    const turn = this.turns[at] ?? noTurn;
    const written = this.view.loops[turn.loop]?.items ?? [];
    const model: ModelStep = {
      kind: "model",
      key: `model ${at + 1}`,
      place: turn.place,
      from: turn.from,
      firstTokenAt: timeToFirstTokenMs === null ? null : turn.from + timeToFirstTokenMs,
      to: turn.to,
      usage,
      retries: turn.retries,
      items: written.filter(({ kind }) => kind !== "tool"),
    };
    const calls = written.flatMap((item) =>
      item.kind === "tool" ? this.callSteps(items.get(item.id) ?? item, waits) : [],
    );
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
    const { from, to } = this.calls.get(item.id) ?? { from: null, to: null };
    const call: CallStep = { kind: "call", key: `call ${item.id}`, from, to, item };
    return [...waits.filter(({ request }) => callOf(request) === item.id), call];
  }

  private ask(request: PendingRequest & { agent?: string }): void {
    const id = callOf(request);
    const owner = this.fold.iterations.findLastIndex(({ toolCalls }) =>
      toolCalls.some((call) => call.id === id),
    );
    const turn = owner >= 0 ? owner : Math.max(0, this.turns.length - 1);
    const key = `wait ${request.requestId}`;
    this.waits.set(key, {
      kind: "wait",
      key,
      turn,
      from: this.waits.get(key)?.from ?? this.lastAt,
      to: null,
      request,
      answer: null,
    });
  }

  private answer({ requestId, answer }: Extract<Chunk, { type: "answer" }>): void {
    const key = `wait ${requestId}`;
    const wait = this.waits.get(key);
    if (wait) this.waits.set(key, { ...wait, to: this.lastAt, answer });
  }

  private settle(id: ToolCallId): void {
    const call = this.calls.get(id);
    if (call) this.calls.set(id, { ...call, to: this.lastAt });
    for (const [key, wait] of this.waits)
      if (wait.to === null && callOf(wait.request) === id) this.waits.set(key, { ...wait, to: this.lastAt });
  }

  private closeTurn(agent: string, at: number): void {
    const turn = this.turns.findLast((each) => each.agent === agent);
    if (turn) turn.to ??= at;
  }

  /** What waits for a person, and a call that was sent and waits there for an answer, go on after the run. */
  private end(at: number): void {
    for (const turn of this.turns) turn.to ??= at;
    if (this.view.status === "waiting") return;
    for (const [id, call] of this.calls) if (call.to === null) this.calls.set(id, { ...call, to: at });
    for (const [key, wait] of this.waits) if (wait.to === null) this.waits.set(key, { ...wait, to: at });
  }
}

interface Turn {
  agent: string;
  place: TurnPlace;
  /** Its place in `view.loops`. */
  loop: number;
  from: number;
  to: number | null;
  retries: { at: number; message: string }[];
}

const noTurn: Turn = {
  agent: "",
  place: { runId: "", index: 0 },
  loop: -1,
  from: 0,
  to: 0,
  retries: [],
};
