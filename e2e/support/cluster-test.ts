import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import type { Script } from "@/lib/providers/testing/wire-server";
import type { PostgresServer } from "@/lib/store/testing/postgres-server";
import type { App } from "./app";
import { type Cluster, type EnvOf, startCluster, startDatabaseServer } from "./cluster";
import { checkPromises } from "./promises/check-promises";
import type { History } from "./promises/history";
import { test as base } from "./server-test";

interface Two extends Cluster {
  instances: [App, App];
  /** Holds what is stored to what was told, through those that are ready; `cut` are the runs that may have been cut short. */
  check(history: History, cut: string[]): Promise<void>;
}

let count = 0;

/** For files that `playwright.config.ts` leaves out on a machine without PostgreSQL. */
export const test = base.extend<
  {
    /** Two instances with one model and one MCP server, `gated`, of which each instance has a process. */
    startTwo(script: Script, env?: EnvOf): Promise<Two>;
  },
  { database: PostgresServer }
>({
  database: [
    async ({ browserName: _ }, use) => {
      const server = await startDatabaseServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  startTwo: async ({ database, start, gated }, use) => {
    const ends: (() => Promise<void>)[] = [];
    await use(async (script, env = () => ({})) => {
      const model = await startOpenAiServer(script);
      ends.push(() => model.close());
      const cluster = await startCluster(database, start, {
        name: `cluster_${++count}`,
        mcpConfig: { mcpServers: { gated: { ...gated.config, perInstance: true } } },
        env: (place) => ({ OPENAI_BASE_URL: model.url, DEFAULT_MODEL: "openai/test-model", ...env(place) }),
      });
      ends.push(() => cluster.close());
      const [first, last] = cluster.instances;
      if (!first || !last) throw new Error("Two were started.");
      const output = () => first.output() + last.output();
      return {
        ...cluster,
        instances: [first, last],
        check: (history, cut) =>
          checkPromises({
            app: { fetch: cluster.fetch, dataDir: first.dataDir, output },
            ...{ rows: cluster.rows, history, journal: gated.lines(), secrets: [], cut },
          }),
      };
    });
    for (const end of ends.reverse()) await end();
  },
});

export { expect } from "./server-test";
