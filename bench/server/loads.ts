import { serversSettled } from "@/bench/support/app";
import type { Child } from "@/bench/support/child";
import { median, quantile } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { measureShort } from "./first-token";
import type { LoadAnswer, LoadOrder } from "./load-client";
import { cpuMs, residentMb } from "./process-load";
import type { QuestionFor, Ways } from "./ways";

/** Answers at once, and how long each is: long enough that the first is not over when the last begins. */
interface Size {
  size: number;
  tokens: number;
  rounds: number;
}

export const mostAtOnce = 1_000;
const sizes: readonly Size[] = [
  { size: 1, tokens: 160, rounds: 3 },
  { size: 50, tokens: 160, rounds: 3 },
  { size: 200, tokens: 160, rounds: 3 },
  { size: 390, tokens: 200, rounds: 3 },
  { size: mostAtOnce, tokens: 400, rounds: 2 },
];
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
  /** Answers that did not come whole, in all rounds. */
  lost: string[];
  /** Of one core, in percent, while it ran: the processes that ask, and the model's. */
  clientsCpu: number;
  modelCpu: number;
}

export interface Load extends Size {
  direct: Felt;
  ours: Felt;
  /** Of the application and of the relay, begin and end of the answers taken off. */
  cpuUsPerToken: number;
  relayUsPerToken: number;
  /** CPU of a run's begin and end just before, ms. */
  aRunMs: number;
  /** Most of the application while the load ran. */
  busyMb: number;
}

export interface Loads {
  loads: Load[];
  idleMb: number;
  restedMb: number;
}

/** What a load runs against and with. */
export interface Rig {
  ways: Ways;
  app: App;
  clients: readonly [Child<string>, ...Child<string>[]];
}

/** Each load all ways in turn, smallest first. */
export async function raceLoads(rig: Rig, wanted: readonly Size[] = sizes): Promise<Loads> {
  const { ways, app } = rig;
  await serversSettled(app);
  // The first ten thousand tokens are slower: little is compiled yet, and a server does not stay cold.
  for (let count = 0; count < warmUps; count++)
    for (const way of [ways.relay, ways.ours])
      await runStreams(rig, way.question, { size: 50, tokens: 160, rounds: 1 });
  const idleMb = residentMb(app.pid);
  const loads: Load[] = [];
  for (const size of wanted) loads.push(await raceLoad(rig, size));
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

async function raceLoad(rig: Rig, size: Size): Promise<Load> {
  console.log(`  ${size.size} at once`);
  const { ways, app, clients } = rig;
  const aRunMs = {
    relay: await measureShort(ways.relay, clients[0]),
    ours: await measureShort(ways.ours, clients[0]),
  };
  const direct: Round[] = [];
  const ours: Round[] = [];
  const cpuUs: Record<"relay" | "ours", number[]> = { relay: [], ours: [] };
  const stream = async (way: keyof typeof cpuUs) => {
    const before = cpuMs(ways[way].pid);
    const round = await runStreams(rig, ways[way].question, size);
    const streaming = cpuMs(ways[way].pid) - before - size.size * aRunMs[way];
    cpuUs[way].push((streaming * 1_000) / (size.size * size.tokens));
    return round;
  };
  let busyMb = 0;
  for (let round = 0; round < size.rounds; round++) {
    direct.push(await runStreams(rig, ways.direct.question, size));
    await stream("relay");
    const watch = setInterval(() => {
      busyMb = Math.max(busyMb, residentMb(app.pid));
    }, 2_000);
    ours.push(await stream("ours").finally(() => clearInterval(watch)));
  }
  return {
    ...size,
    direct: felt(direct, size),
    ours: felt(ours, size),
    cpuUsPerToken: median(cpuUs.ours),
    relayUsPerToken: median(cpuUs.relay),
    aRunMs: aRunMs.ours,
    busyMb,
  };
}

/** One load one way; the asking processes share it. */
interface Round extends LoadAnswer {
  wallMs: number;
  modelMs: number;
}

async function runStreams({ clients, ways }: Rig, way: QuestionFor, { size, tokens }: Size): Promise<Round> {
  const start = performance.now();
  const before = cpuMs(ways.direct.pid);
  const order = { question: way(tokens), size, gapMs: startGapMs, of: clients.length };
  const answers = await Promise.all(
    clients.map((client, number) => client.ask<LoadAnswer>({ ...order, number } satisfies LoadOrder)),
  );
  return {
    seen: answers.flatMap(({ seen }) => seen),
    lost: answers.flatMap(({ lost }) => lost),
    cpuMs: answers.reduce((sum, answer) => sum + answer.cpuMs, 0),
    wallMs: performance.now() - start,
    modelMs: cpuMs(ways.direct.pid) - before,
  };
}

function felt(rounds: readonly Round[], { tokens }: Size): Felt {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  const first = (share: number) =>
    of(({ seen }) =>
      quantile(
        seen.map(({ firstTokenMs }) => firstTokenMs),
        share,
      ),
    );
  const lags = rounds.map(({ seen }) => Float64Array.from(seen.flatMap(({ lagsUs }) => lagsUs)).sort());
  const lag = (share: number) =>
    median(lags.map((sorted) => (sorted[Math.floor(share * sorted.length)] ?? Number.NaN) / 1_000));
  return {
    firstP50: first(0.5),
    firstP95: first(0.95),
    lagP50: lag(0.5),
    lagP95: lag(0.95),
    lagP99: lag(0.99),
    bytesPerToken: of(({ seen }) => seen.reduce((sum, { bytes }) => sum + bytes, 0) / (seen.length * tokens)),
    lost: rounds.flatMap(({ lost }) => lost),
    clientsCpu: of(({ cpuMs, wallMs }) => (100 * cpuMs) / wallMs),
    modelCpu: of(({ modelMs, wallMs }) => (100 * modelMs) / wallMs),
  };
}
