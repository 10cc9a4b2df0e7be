import type { Child } from "@/bench/support/child";
import type { ContestantName, Order } from "./contestant";
import type { Figures, Times } from "./figures";
import { type Servers, startContestant, type Wire } from "./start-all";
import { type CpuRow, cpuRows } from "./tasks";

/** Contestants that run in turn, and what they are asked. */
export interface RacePlan {
  names: readonly ContestantName[];
  rows: readonly CpuRow[];
  /** Sets of new processes: two of the same program differ by 10 % for good, by what was compiled when. */
  processes: number;
  /** In each of them. */
  rounds: number;
  /** Whether calls of one turn and loops at once are measured, too. */
  many: boolean;
}

/** Conversations of one round: a few hundred ms of CPU time at the floor. */
const times: Record<CpuRow, number> = {
  ...{ turns: 16, history: 20, tools: 20, long: 2 },
  ...{ "20 a write": 8, singly: 5, "one a turn": 5, "1 ms apart": 1 },
};
/** Seconds by the clock and little work: all contestants at the same time. */
const slow: ReadonlySet<CpuRow> = new Set(["1 ms apart"]);
/** Before the first round, until everything is compiled: a server does not stay cold. */
const warmUpMs = 1_000;
const crowdWarmUps = 3;

export const noFigures = (): Figures => ({
  cpu: {
    ...{ turns: [], history: [], tools: [], long: [] },
    ...{ "20 a write": [], singly: [], "one a turn": [], "1 ms apart": [] },
  },
  ...{ parallel: [], crowd: [], memoryMb: [] },
});

/** Adds to the figures what the plan's contestants take, each in as many processes as it says. */
export async function race(plan: RacePlan, servers: Servers, wire: Wire, figures: Figures): Promise<void> {
  const rows = new Map<CpuRow, Times[]>(plan.rows.map((row) => [row, []]));
  const [parallel, crowd, memoryMb]: Times[][] = [[], [], []];
  for (let set = 0; set < plan.processes; set++) {
    console.log(`  ${wire}: ${plan.names.join(", ")}: processes ${set + 1} of ${plan.processes}`);
    await withContestants(plan.names, servers, wire, async (contestants) => {
      for (const [row, sets] of rows) sets.push(await raceRow(row, contestants, plan.rounds));
      if (plan.many) parallel?.push(await eachInTurn(contestants, plan.rounds, { do: "parallel" }));
    });
    if (!plan.many) continue;
    // In processes that have done nothing else, so that the most they hold is theirs.
    await withContestants(plan.names, servers, wire, async (contestants) => {
      await eachInTurn(contestants, crowdWarmUps, { do: "crowd" });
      crowd?.push(await eachInTurn(contestants, plan.rounds, { do: "crowd" }));
      memoryMb?.push(await eachInTurn(contestants, 1, { do: "memory" }));
    });
  }
  for (const [row, sets] of rows) figures.cpu[row].push(sets);
  if (!plan.many) return;
  figures.parallel.push(parallel ?? []);
  figures.crowd.push(crowd ?? []);
  figures.memoryMb.push(memoryMb ?? []);
}

type Contestants = ReadonlyMap<ContestantName, Child<string>>;

async function withContestants(
  names: readonly ContestantName[],
  servers: Servers,
  wire: Wire,
  use: (contestants: Contestants) => Promise<void>,
): Promise<void> {
  const contestants = new Map<ContestantName, Child<string>>();
  try {
    for (const name of names) contestants.set(name, await startContestant(name, servers, wire));
    await use(contestants);
  } finally {
    for (const child of contestants.values()) await child.end();
  }
}

async function raceRow(row: CpuRow, contestants: Contestants, count: number): Promise<Times> {
  console.log(`    ${cpuRows[row].title}`);
  if (slow.has(row)) return atOnce(contestants, { do: "cpu", row, times: times[row] });
  await eachInTurn(contestants, 1, { do: "warm up", row, ms: warmUpMs });
  return eachInTurn(contestants, count, { do: "cpu", row, times: times[row] });
}

async function eachInTurn(contestants: Contestants, count: number, order: Order): Promise<Times> {
  const taken: Times = {};
  const failed = new Set<ContestantName>();
  for (let round = 0; round < count; round++)
    for (const [name, child] of contestants) {
      if (failed.has(name)) continue;
      try {
        taken[name] = [...(taken[name] ?? []), await child.ask<number>(order)];
      } catch (cause) {
        failed.add(name);
        delete taken[name];
        tell(name, cause);
      }
    }
  return taken;
}

async function atOnce(contestants: Contestants, order: Order): Promise<Times> {
  const taken: Times = {};
  const asked = [...contestants].map(async ([name, child]) => {
    taken[name] = [await child.ask<number>(order)];
  });
  for (const [at, { status, ...rest }] of (await Promise.allSettled(asked)).entries())
    if (status === "rejected") tell([...contestants.keys()][at], "reason" in rest && rest.reason);
  return taken;
}

const tell = (name: ContestantName | undefined, cause: unknown) =>
  console.log(`    ${name}: ${String(cause).slice(0, 300)}`);
