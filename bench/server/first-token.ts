import { setTimeout as wait } from "node:timers/promises";
import type { Child } from "@/bench/support/child";
import { median } from "@/bench/support/stats";
import type { LoadAnswer, LoadOrder } from "./load-client";
import { cpuMs } from "./process-load";
import type { QuestionsFor, Way } from "./ways";

const warmUps = 30;
export const backToBack = 200;
export const oneASecond = 40;
const ways = ["direct", "bare route", "ours"] as const;

export interface FirstToken {
  /** Ms; each question when the answer before it has ended. */
  backToBack: Record<Way, number[]>;
  /** Ms; a chat a second, as people write. */
  oneASecond: Record<Way, number[]>;
  /** CPU of the application for a run of one token, ms. */
  aRunMs: number;
}

/** Times to the first token of one question at a time, each asked all ways in turn. */
export async function raceFirstToken(
  questions: QuestionsFor,
  client: Child<string>,
  pid: number,
): Promise<FirstToken> {
  const ask = async (way: Way) => {
    const question = questions[way](1);
    const order: LoadOrder = { question, size: 1, gapMs: 0, number: 0, of: 1 };
    const { seen, lost } = await client.ask<LoadAnswer>(order);
    const [one] = seen;
    if (!one) throw new Error(lost[0]);
    return one.firstTokenMs;
  };
  for (let count = 0; count < warmUps; count++) for (const way of ways) await ask(way);
  const fast: FirstToken["backToBack"] = { direct: [], "bare route": [], ours: [] };
  const runs: number[] = [];
  for (let round = 0; round < 5; round++) {
    for (const way of ["direct", "bare route"] as const)
      for (let count = 0; count < backToBack / 5; count++) fast[way].push(await ask(way));
    const before = cpuMs(pid);
    for (let count = 0; count < backToBack / 5; count++) fast.ours.push(await ask("ours"));
    runs.push((cpuMs(pid) - before) / (backToBack / 5));
  }
  const slow: FirstToken["oneASecond"] = { direct: [], "bare route": [], ours: [] };
  for (let count = 0; count < oneASecond; count++)
    for (const way of ways) {
      await wait(1_000 / ways.length);
      slow[way].push(await ask(way));
    }
  return { backToBack: fast, oneASecond: slow, aRunMs: median(runs) };
}

/** Of the medians, ms. */
export const aboveDirect = (times: Record<Way, readonly number[]>, way: Way): number =>
  median(times[way]) - median(times.direct);
