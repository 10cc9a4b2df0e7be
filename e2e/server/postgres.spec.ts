import { once } from "node:events";
import { existsSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { hang, say } from "@/lib/providers/testing/steps";
import { findPostgres } from "@/lib/store/testing/find-postgres.mjs";
import { ask, type PostgresServer, startPostgres } from "@/lib/store/testing/postgres-server";
import { apiOf } from "../support/api";
import { endOf, textOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

/** On a machine without it `playwright.config.ts` leaves this file out. */
const programs = findPostgres() ?? "";

let server: PostgresServer;
test.beforeAll(async () => {
  server = await startPostgres(programs);
});
test.afterAll(() => server.stop());

async function newDatabase(name: string): Promise<string> {
  await ask(server.url("postgres"), `create database ${name}`);
  return server.url(name);
}

/** Of one instance: a port of its own, and what all have in common. */
async function instance(databaseUrl: string): Promise<Record<string, string>> {
  const port = await freePort();
  return {
    ...{ DATABASE_URL: databaseUrl, APP_SECRET: "a secret of 32 characters or more" },
    ...{ LAUNCH_TOKEN: "a-token-of-all-instances", PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` },
    // No balancer has to notice that one stops.
    DRAIN_SECONDS: "1",
  };
}

async function freePort(): Promise<string> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const { port } = probe.address() as AddressInfo;
  probe.close();
  await once(probe, "close");
  return String(port);
}

test("what a reader has seen is there after kill -9, and the run has its end", async ({ startWithModel }) => {
  const words = "one two three four";
  const { app } = await startWithModel([[say(words, { delayMs: 20 })], [say(words, { delayMs: 20 }), hang]], {
    env: await instance(await newDatabase("killed")),
  });
  const api = apiOf(app);
  const first = await api.ask("Count");
  await first.closed;
  expect(endOf(first.events)).toMatchObject({ status: "completed", finalText: words });
  const second = await api.ask("Again");
  await second.until((events) => textOf(events).includes("three"));
  const seen = textOf(second.events);
  await app.kill9();
  await app.restart();
  const again = await api.follow(second.runId);
  await again.closed;
  expect(textOf(again.events).startsWith(seen)).toBe(true);
  expect(endOf(again.events)).toMatchObject({ status: "interrupted" });
  const whole = await api.follow(first.runId);
  await whole.closed;
  expect(textOf(whole.events)).toBe(words);
});

test("a second instance on the same database does not start, and says why", async ({ start }) => {
  const database = await newDatabase("held");
  const app = await start({ env: await instance(database) });
  const refusal = await start({ env: await instance(database) }).catch((cause: Error) => cause.message);
  expect(refusal).toContain(`The database of DATABASE_URL is in use by meguri `);
  expect(refusal).toContain("set DATABASE_URL to another database.");
  expect((await app.fetch("/api/ready")).status).toBe(200);
});

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
