import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import type { App, StartOptions } from "../support/app";
import { type Cluster, startCluster, startDatabaseServer } from "../support/cluster";
import { converse } from "../support/promises/converse";
import { startWatched, type Watchable } from "../support/promises/watched-app";
import { expect, test } from "../support/server-test";

// `npm run soak -- cluster`; `npm test` has `cluster.spec.ts`.
const wanted = Number(process.env.KILLS ?? 20);
const firstSeed = Number(process.env.SEED ?? 1);

test(`${wanted} kills of one of two instances in conversations that are had through both: nothing is lost, and nothing runs that nobody allowed`, async ({
  start,
  gated,
}) => {
  test.setTimeout(wanted * 60_000);
  const server = await startDatabaseServer();
  const ends: (() => Promise<void>)[] = [];
  try {
    const watched = await startWatched(async (script, { env = {}, mcpConfig }) => {
      const wire = await startOpenAiServer(script);
      ends.push(() => wire.close());
      const cluster = await startCluster(server, start, {
        ...{ name: "chaos", mcpConfig: perInstance(mcpConfig) },
        env: { OPENAI_BASE_URL: wire.url, DEFAULT_MODEL: "openai/test-model", DRAIN_SECONDS: "1", ...env },
      });
      ends.push(() => cluster.close());
      return { app: asOne(cluster), model: wire };
    }, gated);
    await watched.ready();
    let kills = 0;
    for (let seed = firstSeed; kills < wanted; seed++) {
      const before = kills;
      kills += await converse(watched, seed);
      if (Math.floor(kills / 20) > Math.floor(before / 20)) console.log(`${kills} of ${wanted} kills`);
    }
    await watched.check("whole");
    expect(kills).toBeGreaterThanOrEqual(wanted);
  } finally {
    for (const end of ends.reverse()) await end();
    await server.stop();
  }
});

/** Each instance has a process of its own of each local server. */
function perInstance(config: StartOptions["mcpConfig"]): unknown {
  const { mcpServers } = config as { mcpServers: Record<string, object> };
  return {
    mcpServers: Object.fromEntries(
      Object.entries(mcpServers).map(([name, server]) => [name, { ...server, perInstance: true }]),
    ),
  };
}

/** What it is asked goes to one instance after the other; what is killed is the instance that is writing an answer, if one is. */
function asOne({ instances, balancer, fetch, rows }: Cluster): Watchable {
  const [first] = instances;
  if (!first) throw new Error("Two were started.");
  let down: App | undefined;
  let downPid: number | undefined;
  let killed = 0;
  const ownerHas = (pid: unknown, id: unknown) => String(id).split(" ").includes(String(pid));
  return {
    ...{ baseUrl: first.baseUrl, dataDir: first.dataDir, fetch, rows, isSeveral: true },
    pids: () => instances.map(({ pid }) => pid),
    output: () => instances.map((instance) => instance.output()).join(""),
    async kill9() {
      const [run] = await rows("select owner_id from run where status = 'running' order by started_at desc");
      const owner = instances.find(({ pid }) => ownerHas(pid, run?.owner_id));
      down = owner ?? instances[killed++ % instances.length];
      downPid = down?.pid;
      await down?.kill9();
    },
    async restart() {
      await down?.restart();
      // Until then its runs are called running.
      await expect
        .poll(async () => {
          const running = await rows("select owner_id from run where status = 'running'");
          return running.filter(({ owner_id: id }) => ownerHas(downPid, id));
        })
        .toEqual([]);
      await expect.poll(() => balancer.ready()).toBe(instances.length);
    },
  };
}
