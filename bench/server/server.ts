import { buildApp, serversSettled, startBenchApp } from "@/bench/support/app";
import { startBareApp } from "@/bench/support/bare-app";
import { type Child, startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import { raceFirstToken } from "./first-token";
import { raceForks } from "./forks";
import { mostAtOnce, raceLoads } from "./loads";
import { writeServerReport } from "./server-report";
import { measureStarts } from "./starts";
import { directTo, through, throughBare } from "./ways";

/** Processes that ask: one would be what is measured with a thousand answers at once. */
const askers = 2;

/** The built application between clients and a model server, each a process of its own. */
export async function benchServer(): Promise<Report> {
  await buildApp();
  const model = await startChild<{ url: string; pid: number }>("server/model-server.ts");
  const clients: Child<string>[] = [];
  try {
    for (let count = 0; count < askers; count++)
      clients.push(await startChild<string>("server/load-client.ts"));
    const measured = await measure(model.ready, clients);
    return writeServerReport({ ...measured, starts: await measureStarts() });
  } finally {
    await Promise.all([model, ...clients].map((child) => child.end()));
  }
}

async function measure(model: { url: string; pid: number }, clients: readonly [...Child<string>[]]) {
  const app = await startBenchApp(model.url, { MAX_RUNS: String(mostAtOnce) });
  const bare = await startBareApp(model.url).catch(async (cause) => {
    await app.dispose();
    throw cause;
  });
  try {
    await serversSettled(app);
    const ways = { direct: directTo(model.url), "bare route": throughBare(bare.url), ours: through(app) };
    const [client] = clients;
    if (!client) throw new Error("Nobody asks.");
    console.log("  first tokens");
    const first = await raceFirstToken(ways, client, app.pid);
    const forks = await raceForks(app);
    const loads = await raceLoads({ ways, app, modelPid: model.pid, clients }, first.aRunMs);
    return { first, forks, loads };
  } finally {
    await bare.dispose();
    await app.dispose();
  }
}
