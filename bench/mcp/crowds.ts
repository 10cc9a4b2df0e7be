import { fileURLToPath } from "node:url";
import { type Child, startChild } from "@/bench/support/child";
import type { Order, Servers } from "./host";

export const manyServers = 32;
export const slowestMs = 500;
export const toolsInAll = 500;
const toolServers = 10;
const connectRounds = 5;
export const startRounds = 40;
const memoryRounds = 3;

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));
export const startHost = (): Promise<Child<string>> =>
  startChild("mcp/host.ts", [], { execArgv: ["--expose-gc"], quiet: true });

/** Ms until 32 servers are ready of which the slowest takes half a second for each answer, and until the slowest is for the bare client. */
export async function measureConnects(http: string): Promise<{ bare: number[]; pool: number[] }> {
  const urls = Array.from(
    { length: manyServers },
    (_, index) => `${http}/${Math.round((slowestMs * (index + 1)) / manyServers)}/10/server-${index}`,
  );
  const servers = Object.fromEntries(urls.map((url, index) => [`server${index}`, { url }]));
  const host = await startHost();
  const ask = (order: Order) => host.ask<number>(order);
  const times = { bare: [] as number[], pool: [] as number[] };
  try {
    for (let round = 0; round < connectRounds; round++) {
      times.bare.push(await ask({ do: "connect bare", url: urls.at(-1) ?? "" }));
      times.pool.push(await ask({ do: "open", servers }));
    }
    return times;
  } finally {
    await host.end();
  }
}

/** Ms to the first token of a run with no tools, and with 500 of 10 servers, in turn. */
export async function measureStarts(
  http: string,
  model: string,
): Promise<{ none: number[]; many: number[] }> {
  const servers: Servers = {};
  for (let index = 0; index < toolServers; index++)
    servers[`server${index}`] = { url: `${http}/0/${toolsInAll / toolServers}/server-${index}` };
  const hosts = { none: await startHost(), many: await startHost() };
  const times = { none: [] as number[], many: [] as number[] };
  try {
    await hosts.none.ask({ do: "open", servers: {} } satisfies Order);
    await hosts.many.ask({ do: "open", servers } satisfies Order);
    for (let round = -10; round < startRounds; round++)
      for (const name of ["none", "many"] as const) {
        const ms = await hosts[name].ask<number>({ do: "start a run", model } satisfies Order);
        if (round >= 0) times[name].push(ms);
      }
    return times;
  } finally {
    await Promise.all([hosts.none.end(), hosts.many.end()]);
  }
}

/** MB of a process whose pool has no server, or 32 idle ones of one kind. */
export async function measureMemory(
  http: string,
): Promise<{ none: number[]; stdio: number[]; http: number[] }> {
  const tiny = { command: "/bin/sh", args: [here("tiny-server.sh")] };
  const named = (of: (index: number) => Servers[string]): Servers =>
    Object.fromEntries(Array.from({ length: manyServers }, (_, index) => [`server${index}`, of(index)]));
  const kinds = {
    none: {},
    stdio: named(() => tiny),
    http: named((index) => ({ url: `${http}/0/1/server-${index}` })),
  };
  const held = { none: [] as number[], stdio: [] as number[], http: [] as number[] };
  for (let round = 0; round < memoryRounds; round++)
    for (const kind of ["none", "stdio", "http"] as const) {
      const host = await startHost();
      try {
        await host.ask({ do: "open", servers: kinds[kind] } satisfies Order);
        held[kind].push(await host.ask<number>({ do: "memory" } satisfies Order));
      } finally {
        await host.end();
      }
    }
  return held;
}
