import { serversSettled } from "@/bench/support/app";
import { median, quantile } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { cpuMs, residentMb } from "./process-load";
import { readAnswer, type Seen } from "./read-answer";
import { tokenGapMs } from "./timing";
import type { QuestionFor, QuestionsFor } from "./ways";

/** Answers at once. */
export const sizes = [1, 25, 50, 200, 400] as const;
export const loadTokens = 160;
export const loadRounds = 3;
/** Loads of 50 before the first that counts. */
const warmUps = 3;
/** Between the starts of two answers, ms: about a hundred a second, no two in step. */
export const startGapMs = 10.37;
/** After the last load, until the memory is looked at again. */
const restMs = 30_000;
const healthGapMs = 1_000;

/** What the readers of one load saw; medians of its rounds, ms. */
export interface Felt {
  firstP50: number;
  firstP95: number;
  lagP50: number;
  lagP95: number;
  lagP99: number;
  bytesPerToken: number;
}

export interface Load {
  size: number;
  direct: Felt;
  ours: Felt;
  cpuUsPerToken: number;
  /** Most of the application while the load ran. */
  busyMb: number;
}

export interface Loads {
  loads: Load[];
  idleMb: number;
  restedMb: number;
}

/** Each load both ways in turn, smallest first. */
export async function raceLoads(ways: QuestionsFor, app: App): Promise<Loads> {
  await serversSettled(app);
  // The first ten thousand tokens are slower: little is compiled yet, and a server does not stay cold.
  for (let count = 0; count < warmUps; count++) await runStreams(ways.ours, 50);
  const idleMb = residentMb(app.pid);
  const loads: Load[] = [];
  for (const size of sizes) loads.push(await raceLoad(ways, size, app));
  await rest(app);
  return { loads, idleMb, restedMb: residentMb(app.pid) };
}

/** As an application at rest is: nobody asks anything but a monitor. V8 gives memory back only while something happens. */
async function rest(app: App): Promise<void> {
  for (let ms = 0; ms < restMs; ms += healthGapMs) {
    await new Promise((resolve) => setTimeout(resolve, healthGapMs));
    await (await app.fetch("/api/health")).arrayBuffer();
  }
}

async function raceLoad(ways: QuestionsFor, size: number, app: App): Promise<Load> {
  const direct: Seen[][] = [];
  const ours: Seen[][] = [];
  const cpuUs: number[] = [];
  let busyMb = 0;
  for (let round = 0; round < loadRounds; round++) {
    direct.push(await runStreams(ways.direct, size));
    const before = cpuMs(app.pid);
    const watch = setInterval(() => {
      busyMb = Math.max(busyMb, residentMb(app.pid));
    }, 2_000);
    ours.push(await runStreams(ways.ours, size).finally(() => clearInterval(watch)));
    cpuUs.push(((cpuMs(app.pid) - before) * 1_000) / (size * loadTokens));
  }
  return { size, direct: felt(direct), ours: felt(ours), cpuUsPerToken: median(cpuUs), busyMb };
}

function runStreams(way: QuestionFor, size: number): Promise<Seen[]> {
  const begin = async (index: number) => {
    await new Promise((resolve) => setTimeout(resolve, index * startGapMs));
    return readAnswer(way(loadTokens));
  };
  return Promise.all(Array.from({ length: size }, (_, index) => begin(index)));
}

function felt(rounds: Seen[][]): Felt {
  const of = (pick: (seen: Seen[]) => number) => median(rounds.map(pick));
  const first = (share: number) =>
    of((seen) =>
      quantile(
        seen.map(({ firstTokenMs }) => firstTokenMs),
        share,
      ),
    );
  const lag = (share: number) =>
    of((seen) =>
      quantile(
        seen.flatMap(({ lags }) => lags),
        share,
      ),
    );
  return {
    firstP50: first(0.5),
    firstP95: first(0.95),
    lagP50: lag(0.5),
    lagP95: lag(0.95),
    lagP99: lag(0.99),
    bytesPerToken: of((seen) => seen.reduce((sum, { bytes }) => sum + bytes, 0) / (seen.length * loadTokens)),
  };
}

export const loadSeconds = (loadTokens * tokenGapMs) / 1_000;
