import { startChild } from "@/bench/support/child";
import type { Check, Report, Table } from "@/bench/support/report";
import { median, round } from "@/bench/support/stats";
import { type Calls, callRounds, callsOfRound, raceCalls } from "./calls";
import {
  manyServers,
  measureConnects,
  measureMemory,
  measureStarts,
  slowestMs,
  startRounds,
  toolsInAll,
} from "./crowds";
import {
  addedBy,
  everyMs,
  type FloodTimes,
  fewestOf,
  floodRounds,
  measureFloods,
  runsAtOnce,
} from "./floods";

/** The connection pool: against the bare client, with many servers, and beside servers that flood it. */
export async function benchMcp(): Promise<Report> {
  const echo = await startChild<string>("loop/mcp-http.ts");
  const http = await startChild<string>("mcp/http-servers.ts");
  const model = await startChild<string>("mcp/paced-model.ts");
  try {
    const calls = await raceCalls(echo.ready);
    const connects = await measureConnects(http.ready);
    const starts = await measureStarts(http.ready, model.ready);
    const memory = await measureMemory(http.ready);
    const floods = await measureFloods(http.ready, model.ready);
    return {
      title: "The pool of MCP servers",
      about,
      checks: checksOf({ calls, connects, starts, memory, floods }),
      tables: [callTable(calls), crowdTable({ connects, starts, memory }), floodTable(floods)],
    };
  } finally {
    await Promise.all([echo.end(), http.end(), model.end()]);
  }
}

const about = `Each figure against a floor of the same run, in interleaved rounds: medians of the rounds, of the ratios or differences within each. Calls: \`echo\` on the same server, one after the other, through a tool box of the pool and through the bare \`@modelcontextprotocol/client\`, each in a process of its own; beside them, without an accepted figure, through all that a run puts round the pool (approval, argument checks, budget, log); ${callRounds} rounds of ${callsOfRound} calls. Connecting: ${manyServers} servers over HTTP of which each takes longer for every answer than the one before, the slowest ${slowestMs} ms, against the bare client (which finds out the wire as the pool does) on the slowest alone. Start of a run: from putting it together as the application does, through loop and adapter, to the first token of the model, ${toolsInAll} tools of 10 servers (which it searches) against none; ${startRounds} rounds; without the store. Memory: resident, of a process with a pool of ${manyServers} idle servers against one with none; child processes are not counted. Nuisances: the gaps between the chunks of ${runsAtOnce} runs (a token each ${everyMs} ms) that call no tool, while another run calls the server at fault in the same process (which is started again at once where a call ends it), against the same without; a row with fewer calls than its nuisance takes is not met; ${floodRounds} rounds.`;

interface Figures {
  calls: Calls[];
  connects: { bare: number[]; pool: number[] };
  starts: { none: number[]; many: number[] };
  memory: { none: number[]; stdio: number[]; http: number[] };
  floods: FloodTimes[];
}

const ratioOf = (own: readonly number[], floor: readonly number[]) =>
  median(own.map((value, index) => value / (floor[index] ?? Number.NaN)));
const differenceOf = (own: readonly number[], floor: readonly number[]) =>
  median(own.map((value, index) => value - (floor[index] ?? Number.NaN)));

function checksOf({ calls, connects, starts, memory, floods }: Figures): Check[] {
  return [
    ...calls.map(({ where, times }) =>
      most(`warm call over ${where}, p50, to the bare client`, 1.2, ratioOf(times.pool.p50, times.bare.p50)),
    ),
    most(`${manyServers} HTTP servers connect, to the slowest`, 1.5, ratioOf(connects.pool, connects.bare)),
    most(`${toolsInAll} tools at the start of a run`, 50, differenceOf(starts.many, starts.none), "ms"),
    most(
      `memory of ${manyServers} idle servers over stdio`,
      50,
      differenceOf(memory.stdio, memory.none),
      "MB",
    ),
    most(`memory of ${manyServers} idle servers over HTTP`, 50, differenceOf(memory.http, memory.none), "MB"),
    ...floods.map(floodCheck),
  ];
}

/** Beside a server that was seldom called nothing was measured. */
function floodCheck(flood: FloodTimes): Check {
  const check = most(`${flood.what}, added to a gap, p99`, 50, addedBy(flood), "ms");
  const fewest = fewestOf(flood);
  if (fewest >= flood.least) return check;
  return { ...check, measured: `${check.measured}, but only ${fewest} calls in a round`, met: false };
}

function most(what: string, accepted: number, measured: number, unit = "×"): Check {
  const written = unit === "×" ? measured.toFixed(2) : measured.toFixed(1);
  return {
    what,
    accepted: `${accepted} ${unit}`,
    measured: `${written} ${unit}`,
    met: Number(written) <= accepted,
  };
}

const callTable = (calls: readonly Calls[]): Table => ({
  head: [
    "warm call, ms",
    "bare, p50",
    "pool, p50",
    "to bare",
    "run, p50",
    "to bare",
    "bare, p99",
    "pool, p99",
    "run, p99",
  ],
  rows: calls.map(({ where, times: { bare, pool, run } }) => [
    where,
    round(median(bare.p50)),
    ...[pool, run].flatMap(({ p50 }) => [round(median(p50)), ratioOf(p50, bare.p50).toFixed(2)]),
    ...[bare, pool, run].map(({ p99 }) => round(median(p99))),
  ]),
});

const crowdTable = ({
  connects,
  starts,
  memory,
}: Pick<Figures, "connects" | "starts" | "memory">): Table => ({
  head: ["many servers", "floor", "pool"],
  rows: [
    ["all connected, ms", round(median(connects.bare)), round(median(connects.pool))],
    ["start of a run, ms", round(median(starts.none)), round(median(starts.many))],
    ["memory, stdio, MB", round(median(memory.none)), round(median(memory.stdio))],
    ["memory, HTTP, MB", round(median(memory.none)), round(median(memory.http))],
  ],
});

const floodTable = (floods: readonly FloodTimes[]): Table => ({
  head: [
    "gaps between chunks, ms",
    "without, p99",
    "beside it, p99",
    "without, longest",
    "beside it, longest",
    "calls in a round",
  ],
  rows: floods.map(({ what, p99, longest, sent }) => [
    what,
    ...[p99.calm, p99.flooded, longest.calm, longest.flooded].map((values) => round(median(values))),
    String(median(sent)),
  ]),
});
