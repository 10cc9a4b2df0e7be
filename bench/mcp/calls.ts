import { fileURLToPath } from "node:url";
import { stdioServer } from "@/bench/loop/start-all";
import type { McpAddress } from "@/bench/loop/tasks";
import { type Child, startChild } from "@/bench/support/child";
import { median, quantile } from "@/bench/support/stats";
import type { ContenderName } from "./contender";

export const callRounds = 15;
export const callsOfRound = 300;
const warmUps = 3;

/** Of one server: p50 and p99 in ms of each round, both ways. */
export interface Calls {
  where: string;
  times: Record<ContenderName, { p50: number[]; p99: number[] }>;
}

/** The same server called both ways in turn, each way in a process of its own. */
export async function raceCalls(httpServer: string): Promise<Calls[]> {
  const everything = fileURLToPath(
    import.meta.resolve("@modelcontextprotocol/server-everything/dist/index.js"),
  );
  return [
    await race("stdio, a light server", stdioServer("few")),
    await race("stdio, server-everything", { command: process.execPath, args: [everything] }),
    await race("Streamable HTTP", { url: `${httpServer}/few` }),
  ];
}

async function race(where: string, address: McpAddress): Promise<Calls> {
  const start = (name: ContenderName) =>
    startChild<string>("mcp/contender.ts", [name, JSON.stringify(address)], { quiet: true });
  const contenders: Record<ContenderName, Child<string>> = {
    bare: await start("bare"),
    pool: await start("pool"),
  };
  const times: Calls["times"] = { bare: { p50: [], p99: [] }, pool: { p50: [], p99: [] } };
  try {
    for (let round = -warmUps; round < callRounds; round++)
      for (const name of round % 2 ? (["bare", "pool"] as const) : (["pool", "bare"] as const)) {
        const taken = await contenders[name].ask<number[]>(callsOfRound);
        if (round < 0) continue;
        times[name].p50.push(median(taken));
        times[name].p99.push(quantile(taken, 0.99));
      }
  } finally {
    await Promise.all([contenders.bare.end(), contenders.pool.end()]);
  }
  return { where, times };
}
