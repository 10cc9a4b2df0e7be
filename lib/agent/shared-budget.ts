import type { Budget, Usage } from "@/lib/protocol/usage";

/** What several runs can be given together. */
export type SharedLimits = Pick<Budget, "tokens" | "cost">;
export type SharedLimit = keyof SharedLimits;

export interface SharedBudgetOptions {
  /** Of what the runs belong to; their questions name it. */
  id: string;
  /** What is not named has no limit. */
  budget: SharedLimits;
  /** What they have used before. */
  used?: Required<SharedLimits>;
  /** Models whose cost cannot be counted go on without a question. */
  goesUnpriced?: boolean;
}

/** One budget of several runs. It is counted as their logs are written, and looked at before each turn of each of them. */
export class SharedBudget {
  readonly id: string;
  readonly goesUnpriced: boolean;
  /** May be raised while runs go on. */
  budget: SharedLimits;
  private readonly sum: Required<SharedLimits>;

  constructor({ id, budget, used, goesUnpriced = false }: SharedBudgetOptions) {
    this.id = id;
    this.budget = budget;
    this.goesUnpriced = goesUnpriced;
    this.sum = { tokens: 0, cost: 0, ...used };
  }

  get used(): Readonly<Required<SharedLimits>> {
    return this.sum;
  }

  add({ inputTokens, outputTokens, cost = 0 }: Usage): void {
    this.sum.tokens += inputTokens + outputTokens;
    this.sum.cost += cost;
  }

  /** What has run out; `granted` is what a person has added for one of the runs. */
  over(granted: SharedLimits = {}): SharedLimit | undefined {
    return (["tokens", "cost"] as const).find((limit) => {
      const most = this.budget[limit];
      return most !== undefined && this.sum[limit] >= most + (granted[limit] ?? 0);
    });
  }
}
