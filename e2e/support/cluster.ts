import { findPostgres } from "@/lib/store/testing/find-postgres.mjs";
import { findRedis } from "@/lib/store/testing/find-redis.mjs";
import { freePort } from "@/lib/store/testing/free-port";
import { ask, type PostgresServer, startPostgres } from "@/lib/store/testing/postgres-server";
import { prepareRedis, type RedisServer } from "@/lib/store/testing/redis-server";
import type { App, StartOptions } from "./app";
import { type Balancer, startBalancer } from "./balancer";

/** Instances on one database behind a balancer. */
export interface Cluster {
  instances: App[];
  /** Through the balancer, to one instance after the other; with the launch token. */
  fetch: App["fetch"];
  balancer: Balancer;
  /** Statements on the database, past the application. */
  rows(statement: string): Promise<Record<string, unknown>[]>;
  /** To this instance, past the balancer. */
  at(instance: App): Pick<App, "fetch">;
  close(): Promise<void>;
}

/** A PostgreSQL of our own; `isSafe`: whose commits survive a power cut. */
export async function startDatabaseServer(isSafe = false): Promise<PostgresServer> {
  const programs = findPostgres();
  if (!programs) throw new Error("PostgreSQL 15 or newer is needed: install it (Debian: postgresql).");
  return startPostgres(programs, isSafe);
}

/** A Redis of our own, which is not started yet; undefined on a machine without one. */
export async function prepareRedisServer(): Promise<RedisServer | undefined> {
  const program = findRedis();
  return program ? prepareRedis(program) : undefined;
}

const token = "a-token-of-all-instances";

/** What instances have in common; each has a port of its own, so that it can come back there. */
export const sharedEnv = (databaseUrl: string, publicUrl: string): Record<string, string> => ({
  ...{ DATABASE_URL: databaseUrl, PUBLIC_URL: publicUrl },
  ...{ APP_SECRET: "a secret of 32 characters or more", LAUNCH_TOKEN: token },
});

/** What one instance has beside that; `database` is the address that all have. */
export type EnvOf = (place: { index: number; database: string }) => Record<string, string>;

interface ClusterOptions extends Omit<StartOptions, "env"> {
  /** Of the database. */
  name: string;
  count?: number;
  env?: Record<string, string> | EnvOf;
}

/** All instances are started at once, on a database that is new to each. */
export async function startCluster(
  server: PostgresServer,
  start: (options: StartOptions) => Promise<App>,
  { count = 2, name, env = {}, ...options }: ClusterOptions,
): Promise<Cluster> {
  await ask(server.url("postgres"), `create database ${name}`);
  const url = server.url(name);
  const balancer = await startBalancer();
  const instances = await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const PORT = String(await freePort());
      const own = typeof env === "function" ? env({ index, database: url }) : env;
      return start({ ...options, env: { ...sharedEnv(url, balancer.url), ...own, PORT } });
    }),
  );
  for (const { ownUrl } of instances) balancer.add(ownUrl);
  const through =
    (base: string): App["fetch"] =>
    (path, init = {}) => {
      const headers = new Headers(init.headers);
      if (!headers.has("authorization")) headers.set("authorization", `Bearer ${token}`);
      return fetch(base + path, { ...init, headers });
    };
  return {
    ...{ instances, balancer },
    fetch: through(balancer.url),
    at: ({ ownUrl }) => ({ fetch: through(ownUrl) }),
    rows: (statement) => ask(url, statement),
    close: () => balancer.close(),
  };
}
