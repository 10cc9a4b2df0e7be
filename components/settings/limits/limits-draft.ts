import type { RunLimits } from "@/lib/protocol/run-limits";

/** The limits as people write them: times in minutes and seconds, nothing where there is no limit. */
export type LimitsDraft = Record<LimitName, string> & { sequential: boolean };
export type LimitName = (typeof limitFields)[number]["name"];

/** `unit` is what one of it is in the unit that is stored; without `max` it is any amount above 0. */
export const limitFields = [
  { name: "iterations", unit: 1, min: 1, max: 100 },
  { name: "minutes", unit: 60_000, min: 1, max: 60 },
  { name: "first", unit: 1_000, min: 1, max: 3_600 },
  { name: "between", unit: 1_000, min: 1, max: 3_600 },
  { name: "tool", unit: 1_000, min: 1, max: 3_600 },
  { name: "tokens", unit: 1, min: 1, max: 1_000_000_000 },
  { name: "toolCalls", unit: 1, min: 1, max: 10_000 },
  { name: "cost", unit: 1, min: 0, max: undefined },
  { name: "budgetMinutes", unit: 60_000, min: 1, max: 1_440 },
] as const;

export function toDraft({ budget = {}, ...limits }: RunLimits): LimitsDraft {
  const stored: Record<LimitName, number | undefined> = {
    iterations: limits.maxIterations,
    minutes: limits.timeoutMs,
    first: limits.firstTokenMs,
    between: limits.betweenTokensMs,
    tool: limits.toolTimeoutMs,
    tokens: budget.tokens,
    toolCalls: budget.toolCalls,
    cost: budget.cost,
    budgetMinutes: budget.timeMs,
  };
  const texts = limitFields.map(({ name, unit }) => {
    const value = stored[name];
    return [name, value === undefined ? "" : String(value / unit)] as const;
  });
  return {
    ...(Object.fromEntries(texts) as Record<LimitName, string>),
    sequential: limits.toolExecution === "sequential",
  };
}

/** The limits that are meant, or the first field that cannot be read. */
export function fromDraft(draft: LimitsDraft): { limits: RunLimits } | { wrong: LimitName } {
  const read: Partial<Record<LimitName, number>> = {};
  for (const { name, unit, min, max } of limitFields) {
    const text = draft[name].trim().replaceAll(",", "");
    if (text === "") continue;
    const value = Number(text);
    const fits =
      max === undefined
        ? value > min && value <= 100_000
        : Number.isInteger(value) && value >= min && value <= max;
    if (!fits) return { wrong: name };
    read[name] = value * unit;
  }
  const budget = without({
    tokens: read.tokens,
    toolCalls: read.toolCalls,
    cost: read.cost,
    timeMs: read.budgetMinutes,
  });
  return {
    limits: {
      ...without({
        maxIterations: read.iterations,
        timeoutMs: read.minutes,
        firstTokenMs: read.first,
        betweenTokensMs: read.between,
        toolTimeoutMs: read.tool,
      }),
      ...(draft.sequential && { toolExecution: "sequential" as const }),
      ...(Object.keys(budget).length > 0 && { budget }),
    },
  };
}

/** Only what is set. */
function without<Name extends string>(
  values: Record<Name, number | undefined>,
): Partial<Record<Name, number>> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<
    Record<Name, number>
  >;
}
