import { buildApp, serversSettled, startBenchApp } from "@/bench/support/app";
import { startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import { median, quantile, round } from "@/bench/support/stats";
import type { App } from "@/e2e/support/app";
import { cpuMs, residentMb } from "./process-load";
import { type Question, readAnswer, type Seen } from "./read-answer";
import { measureStarts } from "./starts";
import { tokenGapMs } from "./timing";

const firstTokenRounds = 200;
const warmUps = 30;
const streams = 50;
const tokens = 200;
const loadRounds = 3;

/** The built application between a client and a model server, each a process of its own. */
export async function benchServer(): Promise<Report> {
  await buildApp();
  const model = await startChild<string>("server/model-server.ts");
  try {
    const app = await startBenchApp(model.ready);
    try {
      await serversSettled(app);
      const ways = { direct: directTo(model.ready), ours: through(app) };
      const first = await raceFirstToken(ways);
      const idleMb = residentMb(app.pid);
      const load = await raceLoad(ways, app);
      await app.dispose();
      return report(first, { idleMb, ...load }, await measureStarts());
    } finally {
      await app.dispose();
    }
  } finally {
    await model.end();
  }
}

type Way = (tokens: number) => Question;
type Ways = Record<"direct" | "ours", Way>;

const directTo =
  (url: string): Way =>
  (count) => ({
    url: `${url}/chat/completions`,
    body: { model: "test-model", stream: true, messages: [{ role: "user", content: `${count} tokens` }] },
  });

const through =
  ({ baseUrl, token }: App): Way =>
  (count) => ({
    url: `${baseUrl}/api/chat`,
    token,
    body: { model: "openai/test-model", message: { text: `${count} tokens` } },
  });

/** Times to the first token, one question after the other. */
async function raceFirstToken(ways: Ways): Promise<Record<keyof Ways, number[]>> {
  const times = { direct: [] as number[], ours: [] as number[] };
  for (let count = 0; count < warmUps + firstTokenRounds; count++)
    for (const way of ["direct", "ours"] as const) {
      const { firstTokenMs } = await readAnswer(ways[way](2));
      if (count >= warmUps) times[way].push(firstTokenMs);
    }
  return times;
}

interface Load {
  lags: Record<keyof Ways, number[][]>;
  busyMb: number;
  cpuUsPerChunk: number[];
}

async function raceLoad(ways: Ways, app: App): Promise<Load> {
  await runStreams(ways.ours); // the first thousand tokens are slower: nothing is compiled yet
  const load: Load = { lags: { direct: [], ours: [] }, busyMb: 0, cpuUsPerChunk: [] };
  for (let count = 0; count < loadRounds; count++) {
    load.lags.direct.push((await runStreams(ways.direct)).flatMap(({ lags }) => lags));
    const before = cpuMs(app.pid);
    const watch = setInterval(() => {
      load.busyMb = Math.max(load.busyMb, residentMb(app.pid));
    }, 2_000);
    const lags = (await runStreams(ways.ours).finally(() => clearInterval(watch))).flatMap(
      ({ lags }) => lags,
    );
    load.lags.ours.push(lags);
    load.cpuUsPerChunk.push(((cpuMs(app.pid) - before) * 1_000) / lags.length);
  }
  return load;
}

/** All streams at once, begun evenly over the time between two tokens, as people would. */
function runStreams(way: Way): Promise<Seen[]> {
  const begin = async (index: number) => {
    await new Promise((resolve) => setTimeout(resolve, (index * 20 * tokenGapMs) / streams));
    return readAnswer(way(tokens));
  };
  return Promise.all(Array.from({ length: streams }, (_, index) => begin(index)));
}

function report(
  first: Record<keyof Ways, number[]>,
  { idleMb, busyMb, lags, cpuUsPerChunk }: Load & { idleMb: number },
  starts: { first: number[]; second: number[] },
): Report {
  const above = median(first.ours) - median(first.direct);
  const of = (share: number, rounds: number[][]) => median(rounds.map((values) => quantile(values, share)));
  const lag = of(0.95, lags.ours);
  const second = median(starts.second);
  return {
    title: "The server",
    about: `The built application between a client and a model server, each in a process of its own, with the three default MCP servers connected. A token carries the time at which the model server wrote it. Direct: the same client asks the model server itself. First token: ${firstTokenRounds} questions in new conversations, each asked both ways in turn. Load: ${streams} answers at once with ${1_000 / tokenGapMs} tokens a second for ${(tokens * tokenGapMs) / 1_000} s, ${loadRounds} rounds both ways in turn; the median of the rounds counts. Starts: \`npm start\` on the finished build until \`/\` answers 200, with an empty data folder and again; medians of ${starts.first.length}.`,
    checks: [
      {
        what: "first token above direct, p50",
        accepted: "10 ms",
        measured: `${round(above)} ms`,
        met: above <= 10,
      },
      {
        what: `token lag with ${streams} runs, p95`,
        accepted: "5 ms",
        measured: `${round(lag)} ms`,
        met: lag <= 5,
      },
      {
        what: "second start to the first 200",
        accepted: "2 s",
        measured: `${round(second / 1_000)} s`,
        met: second < 2_000,
      },
    ],
    tables: [
      {
        head: ["ms", "direct", "ours"],
        rows: [
          ["first token, p50", round(median(first.direct)), round(median(first.ours))],
          ["first token, p95", round(quantile(first.direct, 0.95)), round(quantile(first.ours, 0.95))],
          ["token lag, p50", round(of(0.5, lags.direct)), round(of(0.5, lags.ours))],
          ["token lag, p95", round(of(0.95, lags.direct)), round(lag)],
          ["token lag, p99", round(of(0.99, lags.direct)), round(of(0.99, lags.ours))],
        ],
      },
      {
        head: ["the application", ""],
        rows: [
          ["memory before the load, MB", round(idleMb)],
          [`memory with ${streams} runs, MB`, round(busyMb)],
          ["CPU µs for a chunk, all included", round(median(cpuUsPerChunk))],
          ["first start to the first 200, ms", round(median(starts.first))],
          ["second start to the first 200, ms", round(second)],
        ],
      },
    ],
  };
}
