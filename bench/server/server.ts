import { buildApp, serversSettled, startBenchApp } from "@/bench/support/app";
import { startBareApp } from "@/bench/support/bare-app";
import { type Child, startChild } from "@/bench/support/child";
import type { Report } from "@/bench/support/report";
import { raceFirstToken } from "./first-token";
import { raceForks } from "./forks";
import { mostAtOnce, type Rig, raceLoads } from "./loads";
import { writeServerReport } from "./server-report";
import { measureStarts } from "./starts";
import { directTo, through, throughBare, type Ways } from "./ways";

interface Listening {
  url: string;
  pid: number;
}

/** The built application between clients and a model server, each a process of its own. */
export async function benchServer(): Promise<Report> {
  await buildApp();
  const model = await startChild<Listening>("server/model-server.ts");
  const relay = await startChild<Listening>("server/relay.ts", [model.ready.url]);
  const clients: Child<string>[] = [];
  const startAsker = async () => {
    const asker = await startChild<string>("server/load-client.ts");
    clients.push(asker);
    return asker;
  };
  try {
    // One would be what is measured with a thousand answers at once.
    const askers = [await startAsker(), await startAsker()] as const;
    const measured = await measure(model.ready, relay.ready, askers);
    return writeServerReport({ ...measured, starts: await measureStarts() });
  } finally {
    await Promise.all([model, relay, ...clients].map((child) => child.end()));
  }
}

async function measure(model: Listening, relay: Listening, clients: Rig["clients"]) {
  const app = await startBenchApp(model.url, { MAX_RUNS: String(mostAtOnce) });
  const bare = await startBareApp(model.url).catch(async (cause) => {
    await app.dispose();
    throw cause;
  });
  try {
    await serversSettled(app);
    const ways: Ways = {
      direct: { question: directTo(model.url), pid: model.pid },
      relay: { question: directTo(relay.url), pid: relay.pid },
      "bare route": { question: throughBare(bare.url), pid: bare.pid },
      ours: { question: through(app), pid: app.pid },
    };
    const [client] = clients;
    console.log("  first tokens");
    const first = await raceFirstToken(ways, client);
    const forks = await raceForks(app);
    const loads = await raceLoads({ ways, app, clients });
    return { first, forks, loads };
  } finally {
    await bare.dispose();
    await app.dispose();
  }
}
