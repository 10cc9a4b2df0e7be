import type { Check, Table } from "@/bench/support/report";
import { median, round } from "@/bench/support/stats";
import type { ContestantName } from "./contestant";
import { amount, type Figures, type Race, ratio } from "./figures";
import { type CpuRow, cpuRows, crowdRow, loopsAtOnce, packetSizes, parallelRow, textTokens } from "./tasks";

/** Rows that ask for turns of model and tools; the others are tokens. */
export const turnRows = ["turns", "history", "tools", "long"] as const satisfies CpuRow[];

/** Accepted, to the floor: as a library, on the ports alone, and with log and store. */
const mostOurs = { ours: 1.2, ports: 1, "ours, stored": 1.2 } as const;
const mostAtOnce = { ours: 1.3, ports: 1, "ours, stored": 1.2 } as const;
/** Of the packet sizes: the worst, and their median. */
const mostOfTokens = { ours: [1.5, 1.25], ports: [1, 1], "ours, stored": [3, 2] } as const;
const own = Object.keys(mostOurs) as (keyof typeof mostOurs)[];

export function writeChecks(wires: Record<string, Figures>, adapters: Figures): Check[] {
  const checks = Object.entries(wires).flatMap(([wire, figures]) => [
    ...turnChecks(wire, figures),
    ...(figures.cpu.singly.length > 0 ? tokenChecks(figures) : []),
  ]);
  return [
    ...checks,
    most(
      "a token through the adapter of Responses, worst packet size, to that of Gemini",
      1.2,
      Math.max(...ofSizes(adapters, "Responses, ours", "Gemini, ours")),
    ),
    ...(["Gemini", "Claude", "Responses"] as const).map((name) =>
      most(
        `a token through the adapter of ${name}, worst packet size, to its bare doStream`,
        1.3,
        Math.max(...ofSizes(adapters, `${name}, ours`, `${name}, doStream`)),
      ),
    ),
  ];
}

function turnChecks(wire: string, { cpu, crowd, memoryMb, parallel }: Figures): Check[] {
  const measured = turnRows.filter((row) => cpu[row].length > 0);
  return [
    ...own.flatMap((name) => [
      ...measured.map((row) =>
        most(
          `${wire}: ${cpuRows[row].title}, ${name}, to the floor`,
          mostOurs[name],
          ratio(cpu[row], name, "floor").value,
        ),
      ),
      most(
        `${wire}: ${crowdRow.title}, ${name}, to the floor`,
        mostAtOnce[name],
        ratio(crowd, name, "floor").value,
      ),
    ]),
    most(`${wire}: memory of them, ours to the floor`, 1.3, ratio(memoryMb, "ours", "floor").value),
    ...(["ours", "ours, stored"] as const).map((name) =>
      most(`${wire}: ${parallelRow.title}, ${name}`, 120, amount(parallel, name).value, "ms"),
    ),
  ];
}

function tokenChecks(figures: Figures): Check[] {
  const worst = (to: ContestantName) => Math.max(...ofSizes(figures, "ours", to));
  return [
    ...own.flatMap((name) => {
      const [atWorst, inMiddle] = mostOfTokens[name];
      const ratios = ofSizes(figures, name, "floor");
      return [
        most(`a token, ${name}, worst packet size, to the floor`, atWorst, Math.max(...ratios)),
        most(`a token, ${name}, median of the packet sizes, to the floor`, inMiddle, middle(ratios)),
      ];
    }),
    most("a token, ours, worst packet size, to bare doStream", 1.5, worst("bare doStream")),
    most("a token, ours, worst packet size, to streamText", 0.6, worst("AI SDK")),
  ];
}

const ofSizes = ({ cpu }: Figures, name: ContestantName, to: ContestantName): number[] =>
  packetSizes.map((size) => ratio(cpu[size], name, to).value);

/** Of an even number: between the two in the middle. */
const middle = (values: readonly number[]): number =>
  (median(values) + -median(values.map((value) => -value))) / 2;

function most(what: string, accepted: number, measured: number, unit = "×"): Check {
  const digits = unit === "×" ? 2 : 0;
  return {
    what,
    accepted: `${accepted} ${unit}`,
    measured: `${measured.toFixed(digits)} ${unit}`,
    met: Number(measured.toFixed(digits)) <= accepted,
  };
}

function ratioCell(races: readonly Race[], name: ContestantName, to: ContestantName, each = 1): string {
  const taken = amount(races, name);
  if (Number.isNaN(taken.value)) return races.length > 0 ? "failed" : "–";
  const { value, spread } = ratio(races, name, to);
  return `${value.toFixed(2)}${spread > 0 ? ` ±${spread.toFixed(2)}` : ""} (${round(taken.value / each)})`;
}

/** CPU ms of a conversation and the ratio to the floor, a row for each contestant. */
export function writeTurns(wire: string, figures: Figures, names: readonly ContestantName[]): Table {
  const rows = turnRows.filter((row) => figures.cpu[row].length > 0);
  const plain = (races: readonly Race[], name: ContestantName) => {
    const { value } = amount(races, name);
    return Number.isNaN(value) ? "failed" : round(value);
  };
  return {
    head: [
      wire,
      ...rows.map((row) => cpuRows[row].title),
      `${parallelRow.title}, ms`,
      `${loopsAtOnce} at once, a loop`,
      "memory of them, MB",
    ],
    rows: names.map((name) => [
      name,
      ...rows.map((row) => ratioCell(figures.cpu[row], name, "floor")),
      plain(figures.parallel, name),
      ratioCell(figures.crowd, name, "floor"),
      plain(figures.memoryMb, name),
    ]),
  };
}

/** Ratio and µs of a token by packet size, each contestant to what it is compared with. */
export function writeTokens(
  figures: Figures,
  names: readonly ContestantName[],
  baseOf: (name: ContestantName) => ContestantName,
): Table {
  return {
    head: [`${textTokens.toLocaleString("en")} tokens, µs each`, ...packetSizes],
    rows: names.map((name) => [
      name,
      ...packetSizes.map((size) => ratioCell(figures.cpu[size], name, baseOf(name), textTokens / 1_000)),
    ]),
  };
}
