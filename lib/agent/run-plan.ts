import type { ApprovalRequest, Chunk } from "@/lib/protocol/chunk";
import { isFor as isForFold } from "@/lib/protocol/chunk-kinds";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall } from "@/lib/protocol/message";
import {
  isFor,
  isSameDefinition,
  narrow,
  otherArguments,
  type PlanOutside,
  type PlanStep,
  type PlanUse,
  type StepBounds,
  variesFile,
  widen,
} from "@/lib/protocol/plan";
import { meaningOf } from "@/lib/protocol/questions";

/** The plan that a person has approved for a chain of runs, and what is used of it: a fold of its logs. */
export class RunPlan {
  private readonly asked = new Map<string, ApprovalRequest>();
  private id: string | undefined;
  private steps: PlanStep[] = [];
  /** Sent calls, by the step that they count for, and how many these are for each. */
  private uses = new Map<ToolCallId, number>();
  private counts: number[] = [];
  /** Calls that a person has put into the plan. */
  private added = new Map<ToolCallId, number>();
  /** Calls that the plan has let go and that are not sent yet: known to this process alone. */
  private reserved = new Map<ToolCallId, number>();

  constructor(log: Iterable<Chunk> = []) {
    for (const chunk of log) this.add(chunk);
  }

  add(chunk: Chunk): void {
    if (!isForFold("plan", chunk)) return;
    switch (chunk.type) {
      case "approval_request":
        this.asked.set(chunk.requestId, chunk);
        return;
      case "answer":
        this.take(chunk);
        return;
      case "tool_start":
        if (chunk.plan && chunk.plan.id === this.id) this.use(chunk.id, chunk.plan.step);
        return;
    }
    chunk satisfies never;
  }

  /** As it holds now; undefined where none does. */
  get current(): { id: string; steps: readonly PlanStep[] } | undefined {
    if (this.id === undefined) return undefined;
    return { id: this.id, steps: this.steps.map((step, at) => ({ ...step, used: this.counts[at] ?? 0 })) };
  }

  /**
   * Whether a call that would ask may go, in the definition by which it was judged. It then has its place until it is sent
   * (`start`) or given up (`release`), so that calls side by side never take the same one.
   */
  reserve(call: Pick<ToolCall, "id" | "name" | "args">, definition: string | undefined): boolean {
    const sent = this.uses.get(call.id);
    const step = sent ?? this.findRoom(call, definition);
    const found = step === undefined ? undefined : this.steps[step];
    if (step === undefined || !found || !isFor(found, call) || !isSameDefinition(found, definition))
      return false;
    this.reserved.set(call.id, step);
    return true;
  }

  /**
   * A call is being sent: where it counts, which its `tool_start` tells. Undefined outside of the plan. Throws where the plan
   * let it go and has been taken back since.
   */
  start(call: Pick<ToolCall, "id" | "name" | "args">): PlanUse | undefined {
    const held = this.reserved.get(call.id);
    if (held === lost) throw new Error("The plan that let this call go was taken back.");
    this.reserved.delete(call.id);
    const own = this.uses.get(call.id) ?? this.added.get(call.id);
    const step = own ?? (held !== undefined && this.isFor(held, call) ? held : this.findRoom(call));
    if (this.id === undefined || step === undefined) return undefined;
    this.use(call.id, step);
    return { id: this.id, step, ...(this.added.has(call.id) && { added: true as const }) };
  }

  /** The call is not on its way any more. */
  release(id: ToolCallId): void {
    this.reserved.delete(id);
  }

  /** What keeps a call out of the plan; undefined where none holds. */
  outside({
    name,
    args,
    definition,
  }: Pick<ToolCall, "name" | "args" | "definition">): PlanOutside | undefined {
    if (this.id === undefined) return undefined;
    const own = this.steps.flatMap((step, at) =>
      step.tool === name ? { step, at, others: otherArguments(step, args) } : [],
    );
    const [nearest] = own.toSorted((a, b) => a.others.length - b.others.length);
    if (!nearest) return { why: "tool" };
    const { step, at, others } = nearest;
    if (others.length > 0) return { why: "arguments", step: at, arguments: others };
    if (variesFile(step, args)) return { why: "file", step: at };
    return { why: isSameDefinition(step, definition) ? "used_up" : "definition", step: at };
  }

  /** It holds no more. */
  end(): void {
    this.id = undefined;
    this.steps = [];
    this.uses = new Map();
    this.counts = [];
    this.added = new Map();
    for (const id of this.reserved.keys()) this.reserved.set(id, lost);
  }

  private take({ requestId, answer }: Extract<Chunk, { type: "answer" }>): void {
    if (answer.takesBack !== undefined && answer.takesBack === this.id) this.end();
    const question = this.asked.get(requestId);
    this.asked.delete(requestId);
    if (!question || meaningOf(answer)?.effect !== "run") return;
    if (question.reason === "plan") this.begin(question, answer.plan?.steps);
    else if (answer.addToPlan && this.id !== undefined) {
      const { call } = question;
      const widened = widen(this.steps, { ...call, args: answer.args ?? call.args });
      if (!widened) return;
      this.steps = widened.steps;
      this.added.set(call.id, widened.step);
    }
  }

  private begin({ requestId, plan }: ApprovalRequest, left: readonly StepBounds[] | undefined): void {
    const narrowed = narrow(plan?.steps ?? [], left ?? plan?.steps ?? []);
    this.end();
    if ("fault" in narrowed || narrowed.steps.length === 0) return;
    this.id = requestId;
    this.steps = narrowed.steps;
  }

  private use(id: ToolCallId, step: number): void {
    this.reserved.delete(id);
    if (this.uses.has(id)) return;
    this.uses.set(id, step);
    this.counts[step] = (this.counts[step] ?? 0) + 1;
  }

  private isFor(at: number, call: Pick<ToolCall, "name" | "args">): boolean {
    const step = this.steps[at];
    return step !== undefined && isFor(step, call);
  }

  private findRoom(call: Pick<ToolCall, "name" | "args">, definition?: string): number | undefined {
    const at = this.steps.findIndex(
      (step, index) =>
        isFor(step, call) &&
        isSameDefinition(step, definition) &&
        (this.counts[index] ?? 0) + this.heldOf(index) < step.max,
    );
    return at < 0 ? undefined : at;
  }

  /** Reserved, or promised to a call that a person has put in. */
  private heldOf(step: number): number {
    const held = new Map([...this.reserved, ...this.added]);
    return [...held].filter(([id, at]) => at === step && !this.uses.has(id)).length;
  }
}

/** The place of a call whose plan has ended before it was sent. */
const lost = -1;
