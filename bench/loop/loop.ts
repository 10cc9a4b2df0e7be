import type { Report } from "@/bench/support/report";
import { about } from "./about";
import type { ContestantName } from "./contestant";
import { installPeers } from "./install-peers";
import { turnRows, writeChecks, writeTokens, writeTurns } from "./loop-report";
import { savePlot } from "./plot";
import { noFigures, type RacePlan, race } from "./races";
import { askAll } from "./semantics-table";
import { type Servers, startServers } from "./start-all";
import { packetSizes } from "./tasks";

/** Raced among themselves: a figure is accepted or not by these, and a slow neighbour empties their caches. */
const close: readonly ContestantName[] = [
  "floor",
  "ports",
  "bare doStream",
  "ours",
  "ours, stored",
  "AI SDK",
];
/** They race beside a floor of their own. */
const peers: readonly ContestantName[] = ["Strands", "LangGraph", "OpenAI Agents", "Mastra", "ADK"];
const names = [...close, ...peers];
/** ADK starts the server's process anew for each list and each call: minutes for a row. */
const stdioPeers = peers.filter((name) => name !== "ADK");
/** The loops that somebody could use, for the questions of behaviour. */
const named = names.filter((name) => !["floor", "ports", "bare doStream", "ours, stored"].includes(name));
const adapters: readonly ContestantName[] = [
  ...(["Gemini, doStream", "Gemini, ours", "Claude, doStream", "Claude, ours"] as const),
];

const plans = {
  close: { names: close, rows: [...turnRows, ...packetSizes], processes: 5, rounds: 3, many: true },
  // What is several times as much needs no fine scale, and takes several times as long.
  peers: {
    names: ["floor", ...peers],
    rows: [...turnRows, "20 a write", "singly"],
    ...{ processes: 1, rounds: 3, many: true },
  },
  adapters: { names: adapters, rows: packetSizes, processes: 5, rounds: 3, many: false },
  // Only what speaks to the server of tools is another over stdio.
  stdioClose: { names: close, rows: ["turns", "long"], processes: 3, rounds: 3, many: true },
  stdioPeers: { names: ["floor", ...stdioPeers], rows: ["turns"], processes: 1, rounds: 3, many: true },
} as const satisfies Record<string, RacePlan>;

/** The loop against its peers: CPU ms of each contestant's own process, medians of interleaved rounds. */
export async function benchLoop(): Promise<Report> {
  await installPeers();
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
  await race(plans.stdioClose, servers, "stdio", stdio);
  await race(plans.peers, servers, "http", http);
  await race(plans.stdioPeers, servers, "stdio", stdio);
  const { table: semantics, wrong } = await askAll(named, servers);
  savePlot(http, names);
  const bareOf = (name: ContestantName) =>
    name.startsWith("Gemini") ? "Gemini, doStream" : "Claude, doStream";
  return {
    title: "The loop",
    about: about(plans.close, plans.peers),
    checks: [...writeChecks({ HTTP: http, stdio }, sdk), noneWrong(wrong)],
    tables: [
      writeTurns("Streamable HTTP", http, names),
      writeTokens(http, names, () => "floor"),
      writeTokens(sdk, adapters, bareOf),
      writeTurns("stdio", stdio, [...close, ...stdioPeers]),
      semantics,
    ],
  };
}

const noneWrong = (wrong: readonly string[]): Report["checks"][number] => ({
  what: "what ours does otherwise than it should when things go wrong",
  accepted: "0",
  measured: wrong.length === 0 ? "0" : `${wrong.length}: ${wrong.join(", ")}`,
  met: wrong.length === 0,
});
