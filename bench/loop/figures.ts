import { median } from "@/bench/support/stats";
import type { ContestantName } from "./contestant";
import type { CpuRow } from "./tasks";

/** Figures of one row in each round, by contestant, each in one process; what failed has none. */
export type Times = Partial<Record<ContestantName, number[]>>;

/** One row of contestants that ran in turn, once for each set of processes. */
export type Race = readonly Times[];

/** Of all races over one wire: the floor runs in each. */
export interface Figures {
  cpu: Record<CpuRow, Race[]>;
  /** Ms by the clock. */
  parallel: Race[];
  /** CPU ms of each loop. */
  crowd: Race[];
  /** The most that the process of the crowd held. */
  memoryMb: Race[];
}

/** Median over processes, and how far they lie apart. */
export interface Figure {
  value: number;
  /** Half of the span between the least and the most. */
  spread: number;
}

/** Within each round of the race that both have run, since the machine is not equally quiet in all of them. */
export function ratio(races: readonly Race[], of: ContestantName, to: ContestantName): Figure {
  const race = races.find((sets) => sets.some((set) => set[of] && set[to]));
  return overProcesses(race, ({ [of]: own, [to]: base }) =>
    own?.map((ms, at) => ms / (base?.[at] ?? Number.NaN)),
  );
}

/** As it was measured, of the first race that has it. */
export function amount(races: readonly Race[], of: ContestantName): Figure {
  return overProcesses(
    races.find((sets) => sets.some((set) => set[of])),
    ({ [of]: own }) => own,
  );
}

function overProcesses(race: Race = [], rounds: (set: Times) => number[] | undefined): Figure {
  const medians = race.flatMap((set) => {
    const taken = rounds(set);
    return taken ? [median(taken)] : [];
  });
  if (medians.length === 0) return { value: Number.NaN, spread: 0 };
  return { value: median(medians), spread: (Math.max(...medians) - Math.min(...medians)) / 2 };
}
