import { existsSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@/lib/store/testing/free-port";
import { ask, type PostgresServer } from "@/lib/store/testing/postgres-server";
import { apiOf } from "../support/api";
import { sharedEnv, startDatabaseServer } from "../support/cluster";
import { expect, test } from "../support/server-test";

// On a machine without PostgreSQL `playwright.config.ts` leaves this file out.

let server: PostgresServer;
test.beforeAll(async () => {
  server = await startDatabaseServer();
});
test.afterAll(() => server.stop());

async function newDatabase(name: string): Promise<string> {
  await ask(server.url("postgres"), `create database ${name}`);
  return server.url(name);
}

/** Of one instance: a port of its own, and what all have in common. */
async function instance(databaseUrl: string): Promise<Record<string, string>> {
  const PORT = String(await freePort());
  // No balancer has to notice that one stops.
  return { ...sharedEnv(databaseUrl, `http://127.0.0.1:${PORT}`), PORT, DRAIN_SECONDS: "1" };
}

test("what an instance has set up is there for the next one, in another folder and with another file", async ({
  start,
}) => {
  const database = await newDatabase("moved");
  const first = await start({ env: await instance(database), mcpConfig: { mcpServers: { seed: remote } } });
  const api = apiOf(first);
  await api.post("/api/mcp/servers", { name: "added", config: remote });
  const { approvalHash: hash } = await api.server("added");
  await api.post("/api/mcp/servers/added/approve", { hash });
  expect(existsSync(join(first.dataDir, "secrets.json"))).toBe(false);
  await first.stop();

  const second = await start({ env: await instance(database), mcpConfig: { mcpServers: { other: remote } } });
  const { items, configPath } = await apiOf(second).servers();
  expect(items.map(({ name, status }) => `${name} ${status}`)).toEqual(["seed disabled", "added disabled"]);
  expect(configPath).toBe("PostgreSQL: mcp-servers");
  // The address that is printed is the one that the instance is told, with the token that all have.
  expect(second.url).toBe(`${second.baseUrl}/?token=a-token-of-all-instances`);
  const signedIn = await fetch(second.url, { redirect: "manual" });
  expect(signedIn.headers.get("set-cookie")).toMatch(/^meguri_127_0_0_1_\d+=/);
});

const remote = { url: "http://127.0.0.1:9/mcp", disabled: true };

test("an instance that lacks what all have in common does not start, and says how to make it", async ({
  start,
}) => {
  const env = await instance(await newDatabase("lacking"));
  const refusal = (less: Record<string, string>) =>
    start({ env: { ...env, ...less } }).catch((cause: Error) => cause.message);
  expect(await refusal({ PUBLIC_URL: "" })).toContain("PUBLIC_URL must be set as well, as DATABASE_URL is: ");
  expect(await refusal({ LAUNCH_TOKEN: "" })).toContain("the output of `openssl rand -hex 24`, for example");
  const app = await start({ env });
  await app.stop();
  expect(await refusal({ APP_SECRET: "another secret of 32 characters or more" })).toContain(
    "is not the one that the stored data was written with",
  );
});
