import { fileURLToPath } from "node:url";
import { stdioServer } from "@/bench/loop/start-all";
import type { McpAddress } from "@/bench/loop/tasks";
import { startChild } from "@/bench/support/child";
import { median, quantile } from "@/bench/support/stats";
import type { ContenderName } from "./contender";

export const callRounds = 15;
export const callsOfRound = 300;
const warmUps = 3;

/** Of one server: p50 and p99 in ms of each round, each way. */
export interface Calls {
  where: string;
  times: Record<ContenderName, { p50: number[]; p99: number[] }>;
}

/** The same server called each way in turn, each way in a process of its own. */
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
  const contenders = { bare: await start("bare"), pool: await start("pool"), run: await start("run") };
  const none = () => ({ p50: [] as number[], p99: [] as number[] });
  const times: Calls["times"] = { bare: none(), pool: none(), run: none() };
  const order = Object.keys(contenders) as ContenderName[];
  try {
    for (let round = -warmUps; round < callRounds; round++)
      for (const name of round % 2 ? order : order.toReversed()) {
        const taken = await contenders[name].ask<number[]>(callsOfRound);
        if (round < 0) continue;
        times[name].p50.push(median(taken));
        times[name].p99.push(quantile(taken, 0.99));
      }
  } finally {
    await Promise.all(order.map((name) => contenders[name].end()));
  }
  return { where, times };
}
