import type { Child } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import type { ContestantName, Order } from "./contestant";
import { installPeers } from "./install-peers";
import { type Figures, type Times, writeChecks, writeFigures } from "./loop-report";
import { savePlot } from "./plot";
import { askAll } from "./semantics-table";
import { type Servers, startContestant, startServers, type Wire } from "./start-all";
import { type CpuRow, cpuRows } from "./tasks";

/** Raced among themselves: a figure is accepted or not by these, and a slow neighbour empties their caches. The peers race beside a floor of their own. */
const close: readonly ContestantName[] = ["floor", "ports", "bare doStream", "ours", "AI SDK"];
const peers: readonly ContestantName[] = ["Strands", "LangGraph", "OpenAI Agents", "Mastra", "ADK"];
const names = [...close, ...peers];
const beside = (peers: readonly ContestantName[]): readonly ContestantName[] => ["floor", ...peers];
/** ADK starts the server's process anew for each list and each call: minutes for a row. */
const stdioPeers = peers.filter((name) => name !== "ADK");
/** The loops that somebody could use, for the questions of behaviour. */
const named = names.filter((name) => !["floor", "ports", "bare doStream"].includes(name));
const rounds = 9;
/** What is several times as much needs no fine scale, and takes several times as long. */
const peerRounds = 3;
/** Conversations of one round: a few hundred ms of CPU time at the floor. */
const times: Record<CpuRow, number> = { turns: 20, tokens: 6, history: 20, tools: 20, long: 2 };
/** Before the first round, until everything is compiled: a server does not stay cold. */
const warmUpMs = 2_000;
const crowdWarmUps = 3;
const crowdRounds = 5;

const about = `The same scripted model over HTTP and the same MCP server, over Streamable HTTP and over stdio, both in processes of their own. Floor: fetch, an SSE parser and \`callTool\`, written by hand. Ports: \`executeWithToolsStream\` alone, with a provider that speaks the wire itself; like the application's, it reads an answer that is faster than 16 pieces a millisecond once a millisecond. Bare doStream: a loop by hand on the AI SDK's adapter for this wire. Ours: \`executeWithToolsStream\` with adapter, connection pool, wrappers and log, put together by the application's own code; all but its store. It has called every tool before, so that all are described to the model and none is searched for. The model's server refuses who sends fewer messages or tools than the row names; the history is new for each conversation, as a store gives it. ADK speaks Gemini's wire, all others OpenAI's; over stdio it is left out, since it starts the server anew for each call. CPU time of each contestant's own process for one conversation after a warm-up, to the floor's (in ms); medians of ${rounds} interleaved rounds, of the ratios within each; the peers race among themselves beside a floor of their own, ${peerRounds} rounds. A hundred at once: in processes that have done nothing else, 5 turns a loop, ${crowdRounds} rounds; memory: the most that it held. Below: what each loop does when things go wrong, run and not read; “failed” stands where a loop did not do what the row asks.

![CPU time of each loop, to the floor's](images/loop.svg)`;

/** The loop against its peers: CPU ms of each contestant's own process, medians of interleaved rounds. */
export async function benchLoop(): Promise<Report> {
  await installPeers();
  const servers = await startServers();
  try {
    const http = await measure(servers, "http", [close, beside(peers)]);
    const stdio = await measure(servers, "stdio", [close, beside(stdioPeers)]);
    const { table: semantics, wrong } = await askAll(named, servers);
    savePlot(http, names);
    return {
      title: "The loop",
      about,
      checks: [...writeChecks({ HTTP: http, stdio }), noneWrong(wrong)],
      tables: [
        writeFigures("Streamable HTTP", http, names),
        writeFigures("stdio", stdio, [...close, ...stdioPeers]),
        semantics,
      ],
    };
  } finally {
    await Promise.all([servers.model.end(), servers.mcp.end()]);
  }
}

const noneWrong = (wrong: readonly string[]): Report["checks"][number] => ({
  what: "what ours does otherwise than it should when things go wrong",
  accepted: "0",
  measured: wrong.length === 0 ? "0" : `${wrong.length}: ${wrong.join(", ")}`,
  met: wrong.length === 0,
});

type Contestants = Map<ContestantName, Child<string>>;

async function measure(
  servers: Servers,
  wire: Wire,
  groups: readonly (readonly ContestantName[])[],
): Promise<Figures> {
  const cpu: Figures["cpu"] = { turns: [], tokens: [], history: [], tools: [], long: [] };
  const figures: Figures = { cpu, parallel: [], crowd: [], memoryMb: [] };
  for (const names of groups) {
    const count = names === close ? rounds : peerRounds;
    await withContestants(names, servers, wire, async (contestants) => {
      for (const row of Object.keys(cpuRows) as CpuRow[]) cpu[row].push(await race(row, contestants, count));
      figures.parallel.push(await eachInTurn(contestants, count, { do: "parallel" }));
    });
    // In processes that have done nothing else, so that the most they hold is theirs.
    await withContestants(names, servers, wire, async (contestants) => {
      console.log("  a hundred at once");
      await eachInTurn(contestants, crowdWarmUps, { do: "crowd" });
      figures.crowd.push(await eachInTurn(contestants, crowdRounds, { do: "crowd" }));
      figures.memoryMb.push(await eachInTurn(contestants, 1, { do: "memory" }));
    });
  }
  return figures;
}

async function withContestants(
  names: readonly ContestantName[],
  servers: Servers,
  wire: Wire,
  use: (contestants: Contestants) => Promise<void>,
): Promise<void> {
  const contestants: Contestants = new Map();
  try {
    for (const name of names) contestants.set(name, await startContestant(name, servers, wire));
    await use(contestants);
  } finally {
    for (const child of contestants.values()) await child.end();
  }
}

async function race(row: CpuRow, contestants: Contestants, count: number): Promise<Times> {
  console.log(`  ${cpuRows[row].title}`);
  await eachInTurn(contestants, 1, { do: "warm up", row, ms: warmUpMs });
  return eachInTurn(contestants, count, { do: "cpu", row, times: times[row] });
}

async function eachInTurn(contestants: Contestants, count: number, order: Order): Promise<Times> {
  const taken: Times = {};
  const failed = new Set<ContestantName>();
  for (let round = 0; round < count; round++)
    for (const [name, child] of contestants) {
      if (failed.has(name)) continue;
      try {
        taken[name] = [...(taken[name] ?? []), await child.ask<number>(order)];
      } catch (cause) {
        failed.add(name);
        delete taken[name];
        console.log(`    ${name}: ${String(cause).slice(0, 300)}`);
      }
    }
  return taken;
}
