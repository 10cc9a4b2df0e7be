import { setTimeout as sleep } from "node:timers/promises";
import { apiOf } from "@/e2e/support/api";
import type { App } from "@/e2e/support/app";
import type { Cluster } from "@/e2e/support/cluster";
import { type Following, textOf } from "@/e2e/support/follow-stream";
import { type Deaths, dying, stopped } from "./figures";

export interface Across {
  cluster: Cluster;
  /** Where runs begin … */
  here: App;
  /** … and from where they are stopped, or ended after the death of the other. */
  there: App;
}

/** Slow enough that no run ends by itself meanwhile. */
const question = { model: "openai/test-model", text: "2000 tokens" };
const longestMs = 30_000;

/** From the request at the other instance until its answer, by which the end of the run is stored; ms. */
export async function measureStops({ cluster, here, there }: Across): Promise<number[]> {
  const times: number[] = [];
  for (let count = 0; count < stopped; count++) {
    const [asked] = await begin(cluster, here, 1);
    const before = performance.now();
    await apiOf(cluster.at(there)).post(`/api/runs/${asked?.runId}/stop`);
    times.push(performance.now() - before);
    await asked?.closed;
  }
  return times;
}

export async function measureDeaths(across: Across): Promise<Deaths> {
  const killed: number[] = [];
  const paused: number[] = [];
  for (let round = 0; round < dying.rounds; round++) {
    killed.push(await untilEnded(across, "SIGKILL"));
    paused.push(await untilEnded(across, "SIGSTOP"));
  }
  return { killed, paused };
}

async function untilEnded({ cluster, here, there }: Across, signal: "SIGKILL" | "SIGSTOP"): Promise<number> {
  // Who has just come back may not judge others yet, nor is it missed.
  await sleep(8_000);
  await begin(cluster, here, dying.runs);
  const before = performance.now();
  if (signal === "SIGKILL") await here.kill9();
  else process.kill(here.pid, signal);
  for (;;) {
    const [row] = await cluster.rows("select count(*) as left from run where status = 'running'");
    if (Number(row?.left) === 0) break;
    if (performance.now() - before > longestMs)
      throw new Error(`${row?.left} runs have no end after ${signal}.`);
    await sleep(20);
  }
  const ms = performance.now() - before;
  if (signal === "SIGKILL") await here.restart();
  else process.kill(here.pid, "SIGCONT");
  for (const app of [here, there])
    while (
      (
        await cluster
          .at(app)
          .fetch("/api/ready")
          .catch(() => undefined)
      )?.status !== 200
    )
      await sleep(50);
  return ms;
}

/** Answers of which the first words are there. */
async function begin(cluster: Cluster, at: App, count: number): Promise<Following[]> {
  const api = apiOf(cluster.at(at));
  const asked = await Promise.all(
    Array.from({ length: count }, () => api.ask(question.text, { model: question.model })),
  );
  await Promise.all(asked.map((one) => one.until((events) => textOf(events) !== "")));
  return asked;
}
