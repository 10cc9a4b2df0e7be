import type { Report } from "@/bench/support/report";
import { aboutPeers } from "./about";
import type { ContestantName } from "./contestant";
import { installPeers } from "./install-peers";
import { turnRows, writeTokens, writeTurns } from "./loop-report";
import { savePlot } from "./plot";
import { noFigures, type RacePlan, race } from "./races";
import { askAll } from "./semantics-table";
import { startServers } from "./start-all";

const loops: readonly ContestantName[] = [
  ...(["ours", "AI SDK", "Strands", "LangGraph", "OpenAI Agents", "Mastra", "ADK"] as const),
];
/** ADK starts the server's process anew for each list and each call: minutes for a row. */
const onStdio: readonly ContestantName[] = ["floor", ...loops.filter((name) => name !== "ADK")];
const onHttp: readonly ContestantName[] = ["floor", ...loops];

// What is several times as much needs no fine scale, and takes several times as long.
const plans = {
  http: {
    names: onHttp,
    rows: [...turnRows, "20 a write", "singly"],
    ...{ processes: 1, rounds: 3, many: true },
  },
  stdio: { names: onStdio, rows: ["turns"], processes: 1, rounds: 3, many: true },
} as const satisfies Record<string, RacePlan>;

/** The loop beside those of other frameworks: what they cost, and what each does when things go wrong. */
export async function benchPeers(): Promise<Report> {
  await installPeers();
  const servers = await startServers();
  try {
    const [http, stdio] = [noFigures(), noFigures()];
    await race(plans.http, servers, "http", http);
    await race(plans.stdio, servers, "stdio", stdio);
    const { table: semantics, wrong } = await askAll(loops, servers);
    savePlot(http, onHttp);
    return {
      title: "The loop beside other frameworks",
      about: aboutPeers(plans.http),
      checks: [noneWrong(wrong)],
      tables: [
        writeTurns("Streamable HTTP", http, onHttp),
        writeTokens(http, onHttp, () => "floor"),
        writeTurns("stdio", stdio, onStdio),
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
