import type { Answer } from "@/lib/protocol/answer";
import type { BudgetRequest, Chunk } from "@/lib/protocol/chunk";
import { isFor } from "@/lib/protocol/chunk-kinds";
import type { ToolCallId } from "@/lib/protocol/ids";
import { meaningOf } from "@/lib/protocol/questions";
import { runLimits } from "@/lib/protocol/run-limits";
import { statusAfter } from "@/lib/protocol/run-status";
import type { Budget, Usage } from "@/lib/protocol/usage";
import { type Repetition, Repetitions } from "./repetitions";
import type { SharedBudget, SharedLimit } from "./shared-budget";

/**
 * What can run out. `repeat`: turns that make the same calls, with the same arguments, again and again. `price`: money is
 * counted, and nobody knows what the model costs.
 */
export type Limit = keyof Budget | "repeat" | "price";

/** What a person may use in a day, in whatever they ask. Nobody raises it by an answer. */
export interface DayBudget {
  add(usage: Usage): void;
  /** Rejects with `RunError` once it is used up. */
  assertLeft(): Promise<void>;
}

/** The third of these turns in a row is asked about. */
const maxRepeats = runLimits.chat.repeats;

/**
 * What a chain of runs has used, and what people have said when it ran out: a fold of its logs. An answer resets
 * nothing but adds to the limit; the time that people take to answer does not count.
 */
export class BudgetUsage {
  /** What a person decided for the whole run: write the answer now, or end. Holds until the run has ended. */
  verdict: "finish" | "stop" | undefined;
  /** Whether a person lets a model go on whose cost cannot be counted. */
  goesUnpriced = false;
  /** What this run uses together with others; what it adds from now on counts there too. */
  shared: SharedBudget | undefined;
  /** What the person whose run it is may still use today. */
  day: DayBudget | undefined;
  private readonly used: Record<keyof Budget, number> = { tokens: 0, toolCalls: 0, cost: 0, timeMs: 0 };
  private readonly granted: Record<keyof Budget, number> = { tokens: 0, toolCalls: 0, cost: 0, timeMs: 0 };
  /** The same of the shared budget, for this chain alone. */
  private readonly grantedOfShared: Required<Record<SharedLimit, number>> = { tokens: 0, cost: 0 };
  private readonly asked = new Map<string, BudgetRequest>();
  /** Calls that may go but whose intent is not written yet. */
  private readonly admitted = new Set<ToolCallId>();
  private readonly started = new Set<ToolCallId>();
  private readonly repetitions = new Repetitions(maxRepeats);
  /** When the running run began, epoch ms. */
  private since: number | undefined;

  constructor(log: Iterable<Chunk> = []) {
    for (const chunk of log) this.add(chunk);
  }

  add(chunk: Chunk): void {
    if (chunk.at !== undefined) this.since ??= chunk.at;
    if (!isFor("budget", chunk)) return;
    switch (chunk.type) {
      case "iteration":
        this.repetitions.begin(chunk);
        return;
      case "usage":
        this.addCost(chunk);
        if (chunk.stopReason) this.repetitions.close(chunk);
        return;
      case "tool_call":
        this.repetitions.note(chunk);
        return;
      case "tool_start":
        this.admitted.delete(chunk.id);
        this.started.add(chunk.id);
        this.used.toolCalls++;
        this.repetitions.start(chunk);
        return;
      case "tool_result":
        this.started.delete(chunk.result.id);
        this.repetitions.settle(chunk);
        return;
      case "budget_request":
        this.asked.set(chunk.requestId, chunk);
        return;
      case "answer":
        this.takeAnswer(this.asked.get(chunk.requestId), chunk.answer);
        return;
      case "result":
        if (this.since !== undefined && chunk.at !== undefined) this.used.timeMs += chunk.at - this.since;
        this.since = undefined;
        if (statusAfter(chunk.result.stopReason) !== "waiting") this.verdict = undefined;
        return;
    }
    chunk satisfies never;
  }

  /** What has run out before the next turn of the model. */
  overBeforeTurn(budget: Budget): Limit | undefined {
    return this.over(budget, ["tokens", "cost", "timeMs"]) ?? this.overShared();
  }

  /** Lets a call go, or says what has run out. Several may be let go before the first is stored as started. */
  admit(id: ToolCallId, budget: Budget): Limit | undefined {
    if (this.started.has(id)) return undefined;
    const limit = this.over(budget, ["toolCalls", "tokens", "cost", "timeMs"]) ?? this.overShared();
    if (limit === undefined) this.admitted.add(id);
    return limit;
  }

  /** Whether a call was sent before and has no result yet. */
  isStarted(id: ToolCallId): boolean {
    return this.started.has(id);
  }

  /** What a call repeats of the turns before, once that has happened too often. */
  repetition(id: ToolCallId): Repetition | undefined {
    return this.repetitions.of(id);
  }

  /** A call that was let go has ended, perhaps without having been sent. */
  release(id: ToolCallId): void {
    this.admitted.delete(id);
  }

  /** Whether a limit of money holds that a model without a price cannot keep. */
  needsPrice(budget: Budget): boolean {
    if (this.goesUnpriced) return false;
    return budget.cost !== undefined || (this.shared?.budget.cost !== undefined && !this.shared.goesUnpriced);
  }

  /** The question to a person: what has run out, its amount, and all that was used. */
  question(limit: Limit, budget: Budget): BudgetRequest {
    return this.questionOfShared(limit, budget) ?? this.questionOfOwn(limit, budget);
  }

  private overShared(): SharedLimit | undefined {
    return this.shared?.over(this.grantedOfShared);
  }

  /** Undefined where the run's own budget has run out. */
  private questionOfShared(limit: Limit, budget: Budget): BudgetRequest | undefined {
    const { shared } = this;
    const counted = limit === "price" ? "cost" : limit;
    if (!shared || (counted !== "tokens" && counted !== "cost")) return undefined;
    const most = shared.budget[counted];
    const isOwn = limit === "price" ? budget.cost !== undefined : this.over(budget, [counted]) !== undefined;
    if (isOwn || most === undefined) return undefined;
    return {
      ...{ type: "budget_request", requestId: `budget_${crypto.randomUUID()}`, limit },
      ...{ of: most + this.grantedOfShared[counted], used: { ...shared.used }, matrix: shared.id },
    };
  }

  private questionOfOwn(limit: Limit, budget: Budget): BudgetRequest {
    const counted = limit === "price" ? "cost" : limit;
    const of = counted === "repeat" ? maxRepeats : (budget[counted] ?? 0) + this.granted[counted];
    const used = limit === "repeat" ? { repeat: maxRepeats } : {};
    const requestId = `budget_${crypto.randomUUID()}`;
    return { type: "budget_request", requestId, limit, of, used: { ...this.usedNow(), ...used } };
  }

  private over(budget: Budget, limits: readonly (keyof Budget)[]): keyof Budget | undefined {
    const used = this.usedNow();
    return limits.find((limit) => {
      const most = budget[limit];
      return most !== undefined && used[limit] >= most + this.granted[limit];
    });
  }

  private usedNow(): Record<keyof Budget, number> {
    const running = this.since === undefined ? 0 : Math.max(0, Date.now() - this.since);
    return {
      ...this.used,
      toolCalls: this.used.toolCalls + this.admitted.size,
      timeMs: this.used.timeMs + running,
    };
  }

  private addCost(usage: Usage): void {
    const { inputTokens, outputTokens, cost = 0 } = usage;
    this.used.tokens += inputTokens + outputTokens;
    this.used.cost += cost;
    this.shared?.add(usage);
    this.day?.add(usage);
  }

  private takeAnswer(question: BudgetRequest | undefined, answer: Answer): void {
    if (!question) return;
    const effect = meaningOf(answer)?.effect;
    switch (effect) {
      case "finish":
      case "stop":
        this.verdict = effect;
        break;
      case "raise":
        this.raise(question, answer.budget);
        break;
      case "run":
      case "result":
      case "refuse":
      case "reply":
      case "withhold":
      case "step":
      case undefined:
        break;
    }
  }

  /** By what was asked about, unless the person says by how much. */
  private raise(question: BudgetRequest, budget: Budget = {}): void {
    if (question.limit === "repeat") {
      this.repetitions.reset();
      return;
    }
    if (question.limit === "price") {
      this.goesUnpriced = true;
      return;
    }
    const limit = question.limit as keyof Budget;
    const granted: Partial<Record<string, number>> =
      question.matrix === undefined ? this.granted : this.grantedOfShared;
    for (const [name, amount] of Object.entries({ [limit]: question.of, ...budget }))
      if (name in granted) granted[name] = (granted[name] ?? 0) + amount;
  }
}
