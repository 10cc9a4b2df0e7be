import type { Answer } from "@/lib/protocol/answer";
import type { PendingRequest } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { callOf } from "@/lib/protocol/pending-requests";
import type { WaitStep } from "./run-step";

/** From when to when a call was under way, epoch ms; both null for one that was never sent. */
export interface CallTimes {
  from: number | null;
  to: number | null;
}

/** When calls ran and questions were open, each under the turn that it is of: its place among all turns. */
export class StepTimes {
  private readonly calls = new Map<ToolCallId, CallTimes & { turn: number | undefined }>();
  private readonly waits = new Map<string, WaitStep & { turn: number }>();
  private readonly waitsOf = new Map<number, Set<string>>();
  /** Those that have begun and not ended. */
  private readonly open = { calls: new Set<ToolCallId>(), waits: new Set<string>() };

  constructor(private readonly onChange: (turn: number) => void) {}

  ofCall(id: ToolCallId): CallTimes {
    const { from = null, to = null } = this.calls.get(id) ?? {};
    return { from, to };
  }

  waitsIn(turn: number): WaitStep[] {
    return [...(this.waitsOf.get(turn) ?? [])].flatMap((key) => this.waits.get(key) ?? []);
  }

  /** The model asks for it. */
  announce(id: ToolCallId, turn: number | undefined): void {
    this.calls.set(id, { turn, from: null, to: null });
  }

  start(id: ToolCallId, at: number): void {
    const call = this.calls.get(id);
    if (!call) return;
    this.calls.set(id, { ...call, from: at, to: null });
    this.open.calls.add(id);
    this.touch(id);
  }

  /** What is shown of it has changed, and not its times. */
  touch(id: ToolCallId): void {
    const turn = this.calls.get(id)?.turn;
    if (turn !== undefined) this.onChange(turn);
  }

  settle(id: ToolCallId, at: number): void {
    this.endCall(id, at);
    this.touch(id);
    for (const key of [...this.open.waits]) {
      const request = this.waits.get(key)?.request;
      if (request && callOf(request) === id) this.endWait(key, { to: at });
    }
  }

  /** In the turn of its call; `last` for one about none. */
  ask(request: PendingRequest, at: number, last: number): void {
    const id = callOf(request);
    const turn = (id && this.calls.get(id)?.turn) ?? last;
    const key = `wait ${request.requestId}`;
    const from = this.waits.get(key)?.from ?? at;
    this.waits.set(key, { kind: "wait", key, turn, from, to: null, request, answer: null });
    this.waitsOf.set(turn, (this.waitsOf.get(turn) ?? new Set()).add(key));
    this.open.waits.add(key);
    this.onChange(turn);
  }

  answer(requestId: string, answer: Answer, at: number): void {
    this.endWait(`wait ${requestId}`, { to: at, answer });
  }

  /** Everything that is under way. */
  end(at: number): void {
    for (const id of [...this.open.calls]) {
      this.endCall(id, at);
      this.touch(id);
    }
    for (const key of [...this.open.waits]) this.endWait(key, { to: at });
  }

  private endCall(id: ToolCallId, at: number): void {
    const call = this.calls.get(id);
    if (call && call.from !== null) this.calls.set(id, { ...call, to: at });
    this.open.calls.delete(id);
  }

  private endWait(key: string, change: Pick<WaitStep, "to"> & Partial<Pick<WaitStep, "answer">>): void {
    const wait = this.waits.get(key);
    if (!wait) return;
    this.waits.set(key, { ...wait, ...change });
    this.open.waits.delete(key);
    this.onChange(wait.turn);
  }
}
