import { fileURLToPath } from "node:url";
import { median, quantile } from "@/bench/support/stats";
import { startHost } from "./crowds";
import type { Gaps, Nuisance, Order, Servers } from "./host";

export const floodRounds = 5;
export const runsAtOnce = 4;
export const everyMs = 5;
const tokens = 400;

interface Flood {
  servers: Servers;
  beside: Nuisance[];
  /** Calls in a round that have to reach the server, or the round has not measured it. */
  least: number;
}

/** Gaps between chunks in ms with one nuisance, and without any before it, of each round. */
export interface FloodTimes {
  what: string;
  p99: { calm: number[]; flooded: number[] };
  longest: { calm: number[]; flooded: number[] };
  /** Calls that reached the server at fault. */
  sent: number[];
  least: number;
}

const fixtures = fileURLToPath(new URL("../../lib/mcp/testing/", import.meta.url));
const stdio = (file: string, way: string) => ({
  command: process.execPath,
  args: [`${fixtures}${file}`, way],
});
const faulty = (way: string) => ({ bad: stdio("faulty-server.mjs", way) });
const calling = (tool: string, args: Record<string, unknown> = {}): Nuisance[] => [{ tool, args }];

const floodsOf = (http: string): Record<string, Flood> => ({
  "a hung server, and one that does not connect": {
    servers: { ...faulty("stuck"), mute: stdio("fixture-server.mjs", "silent") },
    beside: [...calling("bad__stick"), ...calling("bad__echo", { text: "x".repeat(300_000) })],
    least: 3,
  },
  "a flood of stderr": { servers: faulty("stderr"), beside: calling("bad__echo"), least: 5 },
  "a flood of lines that are no messages": {
    servers: faulty("chatter"),
    beside: calling("bad__echo"),
    least: 5,
  },
  "a storm of notifications": { servers: faulty("notifications"), beside: calling("bad__storm"), least: 1 },
  "endless progress": { servers: faulty("progress"), beside: calling("bad__flood"), least: 1 },
  "results of 100 MB over stdio": { servers: faulty("big"), beside: calling("bad__big"), least: 3 },
  "results of 9 MB over stdio": {
    servers: faulty("big"),
    beside: calling("bad__big", { megabytes: 9 }),
    least: 10,
  },
  "results of 100 MB over HTTP": {
    servers: { bad: { url: `${http}/0/1/big` } },
    beside: calling("bad__lookup_0", { query: "all" }),
    least: 5,
  },
  "results of 9 MB over HTTP": {
    servers: { bad: { url: `${http}/0/1/big` } },
    beside: calling("bad__lookup_0", { query: "all", megabytes: 9 }),
    least: 5,
  },
});

/** Runs beside each nuisance, and the same runs without it, in turn. */
export async function measureFloods(http: string, model: string): Promise<FloodTimes[]> {
  const all: FloodTimes[] = [];
  for (const [what, flood] of Object.entries(floodsOf(http)))
    all.push({ what, ...(await measureFlood(flood, model)) });
  return all;
}

async function measureFlood(
  { servers, beside, least }: Flood,
  model: string,
): Promise<Omit<FloodTimes, "what">> {
  const host = await startHost();
  const p99: FloodTimes["p99"] = { calm: [], flooded: [] };
  const longest: FloodTimes["longest"] = { calm: [], flooded: [] };
  const sent: number[] = [];
  const runs = { do: "gaps", model, runs: runsAtOnce, tokens, everyMs } as const;
  try {
    for (let round = -1; round < floodRounds; round++)
      for (const way of ["calm", "flooded"] as const) {
        const isCalm = way === "calm";
        const open: Order = isCalm ? { do: "open", servers: {} } : { do: "open", servers, needed: ["bad"] };
        await host.ask<number>(open);
        const order: Order = { ...runs, beside: isCalm ? [] : beside };
        const measured = await host.ask<Gaps>(order);
        if (round < 0) continue;
        p99[way].push(quantile(measured.gaps, 0.99));
        longest[way].push(Math.max(...measured.gaps));
        if (!isCalm) sent.push(measured.sent);
      }
  } finally {
    await host.end();
  }
  return { p99, longest, sent, least };
}

/** What the nuisance adds to the p99 of the gaps, ms: the median of the rounds. */
export const addedBy = ({ p99 }: FloodTimes): number =>
  median(p99.flooded.map((ms, round) => ms - (p99.calm[round] ?? Number.NaN)));

/** In the round with the fewest. */
export const fewestOf = ({ sent }: FloodTimes): number => Math.min(...sent);
