import { setTimeout as wait } from "node:timers/promises";
import type { Child } from "@/bench/support/child";
import { median } from "@/bench/support/stats";
import type { LoadAnswer, LoadOrder } from "./load-client";
import { cpuMs } from "./process-load";
import type { Served, Way, Ways } from "./ways";

const warmUps = 30;
export const backToBack = 200;
export const oneASecond = 40;
export const shortRuns = 100;
const all = ["direct", "relay", "bare route", "ours"] as const satisfies Way[];

export interface FirstToken {
  /** Ms; each question when the answer before it has ended. */
  backToBack: Record<Way, number[]>;
  /** Ms; a chat a second, as people write. */
  oneASecond: Record<Way, number[]>;
  /** CPU of the process between for an answer of one token, ms. */
  aRunMs: Record<Way, number>;
}

/** Times to the first token of one question at a time, each asked all ways in turn. */
export async function raceFirstToken(ways: Ways, client: Child<string>): Promise<FirstToken> {
  const ask = (way: Way) => askShort(ways[way], client);
  for (let count = 0; count < warmUps; count++) for (const way of all) await ask(way);
  const fast = emptyLists();
  const runs = emptyLists();
  for (let round = 0; round < 5; round++) {
    for (const way of all) {
      const before = cpuMs(ways[way].pid);
      for (let count = 0; count < backToBack / 5; count++) fast[way].push(await ask(way));
      runs[way].push((cpuMs(ways[way].pid) - before) / (backToBack / 5));
    }
  }
  const slow = emptyLists();
  for (let count = 0; count < oneASecond; count++)
    for (const way of all) {
      await wait(1_000 / all.length);
      slow[way].push(await ask(way));
    }
  const aRunMs = Object.fromEntries(all.map((way) => [way, median(runs[way])])) as Record<Way, number>;
  return { backToBack: fast, oneASecond: slow, aRunMs };
}

/** CPU of this process for an answer of one token, ms, as it is now: what V8 has compiled is less at first. */
export async function measureShort(served: Served, client: Child<string>): Promise<number> {
  const before = cpuMs(served.pid);
  for (let count = 0; count < shortRuns; count++) await askShort(served, client);
  return (cpuMs(served.pid) - before) / shortRuns;
}

/** Ms to the first token of an answer that has no other. */
async function askShort({ question }: Served, client: Child<string>): Promise<number> {
  const order: LoadOrder = { question: question(1), size: 1, gapMs: 0, number: 0, of: 1 };
  const { seen, lost } = await client.ask<LoadAnswer>(order);
  const [one] = seen;
  if (!one) throw new Error(lost[0]);
  return one.firstTokenMs;
}

const emptyLists = (): Record<Way, number[]> => ({ direct: [], relay: [], "bare route": [], ours: [] });

/** Of the medians, ms. */
export const aboveDirect = (times: Record<Way, readonly number[]>, way: Way): number =>
  median(times[way]) - median(times.direct);
