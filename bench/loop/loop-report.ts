import type { Report, Table } from "@/bench/support/report";
import { median, round } from "@/bench/support/stats";
import type { ContestantName } from "./contestant";
import { type CpuRow, cpuRows, crowdRow, loopsAtOnce, parallelRow, textTokens } from "./tasks";

/** Figures of one row in each round of one race, by contestant; what failed has none. */
export type Times = Partial<Record<ContestantName, number[]>>;

/** Of the races: the floor runs in each. */
export interface Figures {
  cpu: Record<CpuRow, Times[]>;
  /** Ms by the clock. */
  parallel: Times[];
  /** CPU ms of each loop. */
  crowd: Times[];
  /** The most that the process of the crowd held. */
  memoryMb: Times[];
}

/** Within each round of the race that both have run, since the machine is not equally quiet in all of them. */
export function ratio(races: readonly Times[], of: ContestantName, to: ContestantName): number {
  const { [of]: own = [], [to]: base = [] } = races.find((race) => race[of] && race[to]) ?? {};
  return median(own.map((ms, round) => ms / (base[round] ?? Number.NaN)));
}

const timesOf = (races: readonly Times[], name: ContestantName) => races.find((race) => race[name])?.[name];

export function writeChecks(wires: Record<string, Figures>): Report["checks"] {
  const cpu = Object.keys(cpuRows) as CpuRow[];
  return Object.entries(wires).flatMap(([wire, figures]) => [
    ...cpu
      .filter((row) => row !== "tokens")
      .map((row) =>
        most(
          `${wire}: ${cpuRows[row].title}, ours to the floor`,
          1.2,
          ratio(figures.cpu[row], "ours", "floor"),
        ),
      ),
    most(`${wire}: a token, ours to bare doStream`, 1.5, ratio(figures.cpu.tokens, "ours", "bare doStream")),
    most(`${wire}: a token, ours to streamText`, 0.6, ratio(figures.cpu.tokens, "ours", "AI SDK")),
    ...cpu.map((row) =>
      most(
        `${wire}: ${cpuRows[row].title}, ports to the floor`,
        1,
        ratio(figures.cpu[row], "ports", "floor"),
      ),
    ),
    most(`${wire}: ${crowdRow.title}, ports to the floor`, 1, ratio(figures.crowd, "ports", "floor")),
    most(`${wire}: ${crowdRow.title}, ours to the floor`, 1.3, ratio(figures.crowd, "ours", "floor")),
    most(`${wire}: memory of them, ours to the floor`, 1.3, ratio(figures.memoryMb, "ours", "floor")),
    most(`${wire}: ${parallelRow.title}, ours`, 120, median(timesOf(figures.parallel, "ours") ?? []), "ms"),
  ]);
}

function most(what: string, accepted: number, measured: number, unit = "×"): Report["checks"][number] {
  const digits = unit === "×" ? 2 : 0;
  return {
    what,
    accepted: `${accepted} ${unit}`,
    measured: `${measured.toFixed(digits)} ${unit}`,
    met: Number(measured.toFixed(digits)) <= accepted,
  };
}

/** CPU ms of a conversation and the ratio to the floor, a row for each contestant. */
export function writeFigures(wire: string, figures: Figures, names: readonly ContestantName[]): Table {
  const cell = (races: readonly Times[], name: ContestantName, ratioTo: ContestantName | null = "floor") => {
    const taken = timesOf(races, name);
    if (!taken) return "failed";
    const ms = round(median(taken));
    return ratioTo ? `${ratio(races, name, ratioTo).toFixed(2)} (${ms})` : ms;
  };
  const tokenUs = (name: ContestantName) => {
    const taken = timesOf(figures.cpu.tokens, name);
    return taken ? round((median(taken) * 1_000) / textTokens) : "–";
  };
  return {
    head: [
      wire,
      ...Object.values(cpuRows).map(({ title }) => title),
      "µs a token",
      `${parallelRow.title}, ms`,
      `${loopsAtOnce} at once, a loop`,
      "memory of them, MB",
    ],
    rows: names.map((name) => [
      name,
      ...(Object.keys(cpuRows) as CpuRow[]).map((row) => cell(figures.cpu[row], name)),
      tokenUs(name),
      cell(figures.parallel, name, null),
      cell(figures.crowd, name),
      cell(figures.memoryMb, name, null),
    ]),
  };
}
