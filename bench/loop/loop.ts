import type { Report } from "@/bench/support/report";
import { aboutLoop } from "./about";
import type { ContestantName } from "./contestant";
import { turnRows, writeChecks, writeTokens, writeTurns } from "./loop-report";
import { noFigures, type RacePlan, race } from "./races";
import { type Servers, startServers } from "./start-all";
import { packetSizes } from "./tasks";

/** Raced among themselves: a figure is accepted or not by these, and a slow neighbour empties their caches. */
const close: readonly ContestantName[] = [
  ...(["floor", "ports", "bare doStream", "ours", "ours, stored", "AI SDK"] as const),
];
const adapters: readonly ContestantName[] = [
  ...(["Gemini, doStream", "Gemini, ours", "Claude, doStream", "Claude, ours"] as const),
  ...(["Responses, doStream", "Responses, ours"] as const),
];

const plans = {
  close: { names: close, rows: [...turnRows, ...packetSizes], processes: 5, rounds: 3, many: true },
  adapters: { names: adapters, rows: packetSizes, processes: 5, rounds: 3, many: false },
  // Only what speaks to the server of tools is another over stdio.
  stdio: { names: close, rows: ["turns", "long"], processes: 3, rounds: 3, many: true },
} as const satisfies Record<string, RacePlan>;

/** The loop against its floor: CPU ms of each contestant's own process, medians of interleaved rounds. */
export async function benchLoop(): Promise<Report> {
  const servers = await startServers();
  try {
    return await measure(servers);
  } finally {
    await Promise.all([servers.model.end(), servers.mcp.end()]);
  }
}

async function measure(servers: Servers): Promise<Report> {
  const [http, sdk, stdio] = [noFigures(), noFigures(), noFigures()];
  await race(plans.close, servers, "http", http);
  await race(plans.adapters, servers, "http", sdk);
  await race(plans.stdio, servers, "stdio", stdio);
  const bareOf = (name: ContestantName) => name.replace(/, .*/, ", doStream") as ContestantName;
  return {
    title: "The loop",
    about: aboutLoop(plans.close, plans.stdio),
    checks: writeChecks({ HTTP: http, stdio }, sdk),
    tables: [
      writeTurns("Streamable HTTP", http, close),
      writeTokens(http, close, () => "floor"),
      writeTokens(sdk, adapters, bareOf),
      writeTurns("stdio", stdio, close),
    ],
  };
}
