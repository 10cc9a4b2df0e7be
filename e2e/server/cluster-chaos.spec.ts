import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { findRedis } from "@/lib/store/testing/find-redis.mjs";
import { openDatabaseWay } from "@/lib/store/testing/lossy-way";
import { prepareRedis } from "@/lib/store/testing/redis-server";
import type { App, StartOptions } from "../support/app";
import { type Cluster, startCluster, startDatabaseServer } from "../support/cluster";
import { converse } from "../support/promises/converse";
import { startWatched, type Watchable } from "../support/promises/watched-app";
import { expect, test } from "../support/server-test";

// `npm run soak -- cluster`; `npm test` has each of these falls once, in the other files about clusters.
const wanted = Number(process.env.KILLS ?? 20);
const firstSeed = Number(process.env.SEED ?? 1);

test(`${wanted} times one of two instances is killed, paused or parted from the database in conversations that are had through both: nothing is lost, and nothing runs that nobody allowed`, async ({
  start,
  gated,
}) => {
  test.setTimeout(wanted * 60_000);
  const server = await startDatabaseServer();
  const program = findRedis();
  if (!program) throw new Error("Redis is needed: install it (Debian: redis-server).");
  const redis = await prepareRedis(program);
  const ways = [
    await openDatabaseWay(server.url("postgres")),
    await openDatabaseWay(server.url("postgres")),
  ] as const;
  const ends = [() => server.stop(), () => redis.close(), ...ways.map((way) => () => way.close())];
  try {
    const watched = await startWatched(async (script, { env = {}, mcpConfig }) => {
      const wire = await startOpenAiServer(script);
      ends.push(() => wire.close());
      const cluster = await startCluster(server, start, {
        ...{ name: "chaos", mcpConfig: perInstance(mcpConfig) },
        env: ({ index, database }) => ({
          ...{ OPENAI_BASE_URL: wire.url, DEFAULT_MODEL: "openai/test-model", DRAIN_SECONDS: "1" },
          ...{ DATABASE_URL: ways[index]?.over(database) ?? database, REDIS_URL: redis.url, ...env },
        }),
      });
      ends.push(() => cluster.close());
      return { app: asOne(cluster, fallsOf(cluster.instances, ways), shaken(redis)), model: wire };
    }, gated);
    await watched.ready();
    let kills = 0;
    for (let seed = firstSeed; kills < wanted; seed++) {
      const before = kills;
      kills += await converse(watched, seed);
      if (Math.floor(kills / 20) > Math.floor(before / 20)) console.log(`${kills} of ${wanted} falls`);
    }
    await watched.check("whole");
    expect(kills).toBeGreaterThanOrEqual(wanted);
  } finally {
    for (const end of ends.reverse()) await end();
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

/** How an instance can fall, and come back. */
interface Fall {
  begin(app: App): unknown;
  end(app: App): unknown;
  /** What must be so before it comes back; nothing for one that comes back as soon as it can. */
  after?: "runs ended" | "not ready";
}

function fallsOf(
  instances: readonly App[],
  ways: readonly Awaited<ReturnType<typeof openDatabaseWay>>[],
): Fall[] {
  const wayOf = (app: App) => ways[instances.indexOf(app)];
  const kill: Fall = { begin: (app) => app.kill9(), end: (app) => app.restart() };
  const pause: Fall = {
    begin: ({ pid }) => process.kill(pid, "SIGSTOP"),
    end: ({ pid }) => process.kill(pid, "SIGCONT"),
    after: "runs ended",
  };
  const part = (how?: "forNewOnly"): Fall => ({
    begin: (app) => wayOf(app)?.part(),
    end: (app) => wayOf(app)?.heal(how),
    // One that had not noticed would refuse who asks it then.
    after: "not ready",
  });
  return [kill, pause, kill, part(), kill, part("forNewOnly")];
}

/** What was asked of an instance when it was parted is given up after 15 s, and nothing is written before. */
const slow = { timeout: 60_000 };

/** Called again and again, it starts Redis, empties it, and kills it. */
function shaken(redis: Awaited<ReturnType<typeof prepareRedis>>): () => Promise<unknown> {
  const acts = [() => redis.start(), () => redis.ask("FLUSHALL"), () => redis.kill()];
  let times = 0;
  return async () => acts[times++ % acts.length]?.();
}

/** What it is asked goes to one instance after the other; what falls is the instance that is writing an answer, if one is. */
function asOne(
  { instances, balancer, fetch, rows }: Cluster,
  falls: readonly Fall[],
  shake: () => Promise<unknown>,
): Watchable {
  const [first] = instances;
  if (!first) throw new Error("Two were started.");
  let down: { app: App; pid: number; fall: Fall } | undefined;
  let count = 0;
  const isOf = (pid: number, { owner_id: id }: Record<string, unknown>) =>
    String(id).split(" ").includes(String(pid));
  const running = () => rows("select owner_id from run where status = 'running' order by started_at desc");
  return {
    ...{ baseUrl: first.baseUrl, dataDir: first.dataDir, fetch, rows, isSeveral: true },
    pids: () => instances.map(({ pid }) => pid),
    output: () => instances.map((instance) => instance.output()).join(""),
    async kill9() {
      const [run] = await running();
      const app =
        instances.find(({ pid }) => run && isOf(pid, run)) ?? instances[count % instances.length] ?? first;
      const fall = falls[count++ % falls.length];
      if (!fall) throw new Error("There is no way to fall.");
      down = { app, pid: app.pid, fall };
      await fall.begin(app);
    },
    async restart() {
      if (!down) return;
      const { app, pid, fall } = down;
      await shake();
      if (!fall.after) await fall.end(app);
      if (fall.after === "not ready")
        await expect.poll(() => balancer.ready(), slow).toBe(instances.length - 1);
      // Until then its runs are called running.
      await expect.poll(async () => (await running()).filter((run) => isOf(pid, run))).toEqual([]);
      if (fall.after) await fall.end(app);
      await expect.poll(() => balancer.ready(), slow).toBe(instances.length);
    },
  };
}
