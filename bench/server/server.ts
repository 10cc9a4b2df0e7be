import { buildApp, serversSettled, startBenchApp } from "@/bench/support/app";
import { startChild } from "@/bench/support/child";
import type { Check, Report } from "@/bench/support/report";
import { median, round } from "@/bench/support/stats";
import { type Load, type Loads, loadRounds, loadSeconds, raceLoads, startGapMs } from "./loads";
import { readAnswer } from "./read-answer";
import { measureStarts } from "./starts";
import { tokenGapMs } from "./timing";
import { directTo, type QuestionsFor, through } from "./ways";

const firstTokenRounds = 200;
const warmUps = 30;

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
      const loads = await raceLoads(ways, app);
      await app.dispose();
      return report(first, loads, await measureStarts());
    } finally {
      await app.dispose();
    }
  } finally {
    await model.end();
  }
}

type Times = Record<keyof QuestionsFor, number[]>;

/** Times to the first token, one question after the other. */
async function raceFirstToken(ways: QuestionsFor): Promise<Times> {
  const times: Times = { direct: [], ours: [] };
  for (let count = 0; count < warmUps + firstTokenRounds; count++)
    for (const way of ["direct", "ours"] as const) {
      const { firstTokenMs } = await readAnswer(ways[way](2));
      if (count >= warmUps) times[way].push(firstTokenMs);
    }
  return times;
}

interface Starts {
  first: number[];
  second: number[];
}

function report(first: Times, loads: Loads, starts: Starts): Report {
  return {
    title: "The server",
    about: `The built application between a client and a model server, each in a process of its own, with the three default MCP servers connected. A token carries the time at which the model server wrote it. Direct: the same client asks the model server itself. First token: ${firstTokenRounds} questions in new conversations, one after the other, each asked both ways in turn. Load: so many answers at once, a new one every ${startGapMs} ms, ${1_000 / tokenGapMs} tokens a second each for ${loadSeconds} s, ${loadRounds} rounds both ways in turn; medians of the rounds. Memory: resident, before the first load (warm), the most during each, and 30 s after the last, with a health check each second. Starts: \`npm start\` on the finished build until \`/\` answers 200, with an empty data folder and again; medians of ${starts.first.length}.`,
    checks: checksOf(first, loads, median(starts.second)),
    tables: [
      {
        head: [
          "runs at once",
          "first token, p50 ms (direct)",
          "p95",
          "token lag, p50 ms (direct)",
          "p95 (direct)",
          "p99",
          "CPU µs a token",
          "bytes a token",
          "memory, MB",
        ],
        rows: loads.loads.map(rowOf),
      },
      {
        head: ["the application", ""],
        rows: [
          ["first token of one question, p50 ms (direct)", beside(median(first.ours), median(first.direct))],
          ["memory before the loads, MB", round(loads.idleMb)],
          ["memory 30 s after them, MB", round(loads.restedMb)],
          ["first start to the first 200, ms", round(median(starts.first))],
          ["second start to the first 200, ms", round(median(starts.second))],
        ],
      },
    ],
  };
}

const beside = (ours: number, direct: number) => `${round(ours)} (${round(direct)})`;

const rowOf = ({ size, ours, direct, cpuUsPerToken, busyMb }: Load): string[] => [
  String(size),
  beside(ours.firstP50, direct.firstP50),
  round(ours.firstP95),
  beside(ours.lagP50, direct.lagP50),
  beside(ours.lagP95, direct.lagP95),
  round(ours.lagP99),
  round(cpuUsPerToken),
  round(ours.bytesPerToken),
  round(busyMb),
];

function checksOf(first: Times, { loads, idleMb, restedMb }: Loads, secondStartMs: number): Check[] {
  const at = (size: number): Load => {
    const load = loads.find((one) => one.size === size);
    if (!load) throw new Error(`No load of ${size} was measured.`);
    return load;
  };
  const ms = (what: string, most: number, measured: number): Check => ({
    what,
    accepted: `${most} ms`,
    measured: `${round(measured)} ms`,
    met: measured <= most,
  });
  const above = median(first.ours) - median(first.direct);
  const aRun = (at(400).busyMb - idleMb) / 400;
  const kept = (restedMb / idleMb - 1) * 100;
  return [
    ms("first token above direct, p50", 7, above),
    ms("token lag with 1 run, p95", 2, at(1).ours.lagP95),
    ms("token lag with 25 runs, p95", 2, at(25).ours.lagP95),
    ms("token lag with 50 runs, p95", 5, at(50).ours.lagP95),
    ms("token lag with 200 runs, p95", 12, at(200).ours.lagP95),
    ms("first token with 200 runs, p95", 60, at(200).ours.firstP95),
    ms("token lag with 400 runs, p95", 88, at(400).ours.lagP95),
    {
      what: "memory of a run, 400 at once",
      accepted: "1.2 MB",
      measured: `${round(aRun)} MB`,
      met: aRun <= 1.2,
    },
    { what: "memory kept after the loads", accepted: "20 %", measured: `${round(kept)} %`, met: kept <= 20 },
    { ...ms("second start to the first 200", 2_000, secondStartMs), accepted: "2 s" },
  ];
}
