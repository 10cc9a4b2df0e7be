import type { LoadAnswer, LoadOrder } from "@/bench/server/load-client";
import { type QuestionFor, through } from "@/bench/server/ways";
import { buildApp, distDir, startBenchApp } from "@/bench/support/app";
import { type Child, startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import type { App } from "@/e2e/support/app";
import { startApp } from "@/e2e/support/app";
import { type Cluster, startCluster, startDatabaseServer } from "@/e2e/support/cluster";
import { writeClusterReport } from "./cluster-report";
import { type Across, measureDeaths, measureStops } from "./deaths";
import { type ClusterFigures, flat, remote } from "./figures";
import type { RemoteAnswer, RemoteOrder } from "./remote-client";

const warmUps = 30;
const firstTokens = 100;
const startGapMs = 10.37;

/** Two instances of the built application on a PostgreSQL that survives power cuts, and one that has its database embedded. */
export async function benchCluster(): Promise<Report> {
  await buildApp();
  const server = await startDatabaseServer(true);
  const model = await startChild<{ url: string; pid: number }>("server/model-server.ts");
  const client = await startChild<string>("server/load-client.ts");
  const readers = await startChild<string>("cluster/remote-client.ts");
  // As the others: servers offer tools, which are sent along with each question.
  const embedded = await startBenchApp(model.ready.url, { MAX_RUNS: "400" }, {});
  const apps: App[] = [embedded];
  const start = async (options: Parameters<typeof startApp>[0]) => {
    const app = await startApp(options);
    apps.push(app);
    return app;
  };
  const cluster = await startCluster(server, start, {
    ...{ name: "bench", mcpConfig: { mcpServers: {} } },
    env: {
      NEXT_DIST_DIR: distDir,
      OPENAI_BASE_URL: model.ready.url,
      TOOL_APPROVAL: "allow",
      MAX_RUNS: "400",
    },
  });
  try {
    return writeClusterReport(await measure({ cluster, embedded, client, readers }));
  } finally {
    await Promise.all([model, client, readers].map((child) => child.end()));
    // Not by SIGTERM: what hangs would get its 30 s.
    for (const app of apps) await app.kill9().then(() => app.dispose());
    await cluster.close();
    await server.stop();
  }
}

interface Rig {
  cluster: Cluster;
  embedded: App;
  client: Child<string>;
  readers: Child<string>;
}

async function measure({ cluster, embedded, client, readers }: Rig): Promise<ClusterFigures> {
  const [here, there] = cluster.instances;
  if (!here || !there) throw new Error("Two instances were started.");
  const ways = { embedded: through(embedded), cluster: through({ ...here, baseUrl: here.ownUrl }) };
  const across: Across = { cluster, here, there };
  console.log("  first tokens");
  const first = await raceFirstTokens(ways, client);
  console.log("  one answer as fast as it goes");
  const chunksASecond: number[] = [];
  for (let round = 0; round < flat.rounds; round++) chunksASecond.push(await runFlat(ways.cluster, client));
  console.log("  read at the other instance");
  const lags = [];
  for (let round = 0; round < remote.rounds; round++)
    lags.push(await readRemote(ways.cluster, there, readers));
  console.log("  stopped at the other instance");
  const stops = await measureStops(across);
  console.log("  killed and paused");
  return { first, chunksASecond, lags, stops, deaths: await measureDeaths(across) };
}

/** One question at a time, embedded and in the cluster in turn; ms to the first token. */
async function raceFirstTokens(ways: Record<"embedded" | "cluster", QuestionFor>, client: Child<string>) {
  const seen: Record<"embedded" | "cluster", number[]> = { embedded: [], cluster: [] };
  for (let count = -warmUps; count < firstTokens; count++)
    for (const way of ["embedded", "cluster"] as const) {
      const { firstTokenMs } = await askOne(ways[way](1), client);
      if (count >= 0) seen[way].push(firstTokenMs);
    }
  return seen;
}

async function askOne(question: ReturnType<QuestionFor>, client: Child<string>) {
  const order: LoadOrder = { question, size: 1, gapMs: 0, number: 0, of: 1 };
  const { seen, lost } = await client.ask<LoadAnswer>(order);
  if (!seen[0]) throw new Error(lost[0]);
  return seen[0];
}

/** Chunks a second of one answer whose model never waits, until its end is stored and read. */
async function runFlat(way: QuestionFor, client: Child<string>): Promise<number> {
  const question = way(flat.tokens);
  const text = `${flat.tokens} tokens 10000000 a second`;
  const before = performance.now();
  await askOne({ ...question, body: { ...(question.body as object), message: { text } } }, client);
  return (flat.tokens * 1_000) / (performance.now() - before);
}

/** Lags of one load whose answers are read at the other instance; µs, in order. */
async function readRemote(way: QuestionFor, { ownUrl: readAt }: App, readers: Child<string>) {
  const order: RemoteOrder = {
    ...{ question: way(remote.tokens), readAt },
    ...{ size: remote.size, gapMs: startGapMs },
  };
  const { lagsUs, lost } = await readers.ask<RemoteAnswer>(order);
  return { sorted: Float64Array.from(lagsUs).sort(), lost };
}
