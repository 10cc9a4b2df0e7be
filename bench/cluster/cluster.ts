import { setTimeout as sleep } from "node:timers/promises";
import type { LoadAnswer, LoadOrder } from "@/bench/server/load-client";
import { type QuestionFor, through } from "@/bench/server/ways";
import { buildApp, distDir, startBenchApp } from "@/bench/support/app";
import { type Child, startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import type { App } from "@/e2e/support/app";
import { startApp } from "@/e2e/support/app";
import { type Cluster, prepareRedisServer, startCluster, startDatabaseServer } from "@/e2e/support/cluster";
import { writeClusterReport } from "./cluster-report";
import { type Across, measureDeaths, measureStops } from "./deaths";
import { type ClusterFigures, flat, full, type Lags, remote } from "./figures";
import type { RemoteAnswer, RemoteOrder } from "./remote-client";

const warmUps = 30;
const firstTokens = 100;
const startGapMs = 10.37;
/** In which instances find each other, and Redis. */
const settleMs = 5_000;

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
  const load = (
    readAt: App,
    { size, rounds }: { size: number; rounds: number } = remote,
    onBegun = async () => {},
  ) => repeat(rounds, () => readLoad(ways.cluster, { readAt, size, onBegun }, readers));
  const lags = await load(there);
  console.log("  as many as one instance takes");
  const atOne = await load(here, full);
  console.log("  stopped at the other instance");
  const stops = await measureStops(across);
  console.log("  killed and paused");
  const deaths = await measureDeaths(across);
  console.log("  with Redis");
  const redis = await withRedis(across, (onBegun) => load(there, remote, onBegun));
  return { first, chunksASecond, lags, full: atOne, stops, deaths, redis };
}

/** Both instances begin anew with a Redis; of the last rounds each loses it while it reads. */
async function withRedis(
  { cluster: { instances } }: Across,
  load: (onBegun?: () => Promise<void>) => Promise<Lags[]>,
): Promise<ClusterFigures["redis"]> {
  const redis = await prepareRedisServer();
  if (!redis) return { up: [], killed: [] };
  try {
    await redis.start();
    for (const instance of instances) await instance.restart({ REDIS_URL: redis.url });
    await sleep(settleMs);
    // Not counted: what has just begun compiles as it goes, and those without Redis have gone on for a while by their turn.
    await load();
    const up = await load();
    const killed = await load(async () => {
      await redis.start();
      await sleep(settleMs);
      await redis.kill();
    });
    return { up, killed };
  } finally {
    await redis.close();
  }
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

async function repeat<Value>(times: number, work: () => Promise<Value>): Promise<Value[]> {
  const values: Value[] = [];
  for (let round = 0; round < times; round++) values.push(await work());
  return values;
}

interface Load {
  readAt: App;
  size: number;
  /** Is called as soon as answers are begun; until it is done is not waited for. */
  onBegun(): Promise<void>;
}

/** Lags of answers that are begun at one instance and read there or elsewhere. */
async function readLoad(
  way: QuestionFor,
  { readAt, size, onBegun }: Load,
  readers: Child<string>,
): Promise<Lags> {
  const order: RemoteOrder = {
    ...{ question: way(remote.tokens), readAt: readAt.ownUrl },
    ...{ size, gapMs: startGapMs },
  };
  const [{ lagsUs, lost }] = await Promise.all([readers.ask<RemoteAnswer>(order), onBegun()]);
  return { sorted: Float64Array.from(lagsUs).sort(), lost };
}
