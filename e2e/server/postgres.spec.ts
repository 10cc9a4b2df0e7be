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

async function newDatabase(name: string): Promise<Record<string, string>> {
  await ask(server.url("postgres"), `create database ${name}`);
  return { DATABASE_URL: server.url(name), APP_SECRET: "a secret of 32 characters or more" };
}

test("what a reader has seen is there after kill -9, and the run has its end", async ({ startWithModel }) => {
  const words = "one two three four";
  const { app } = await startWithModel([[say(words, { delayMs: 20 })], [say(words, { delayMs: 20 }), hang]], {
    env: await newDatabase("killed"),
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
  const env = await newDatabase("held");
  const app = await start({ env });
  const refusal = await start({ env }).catch((cause: Error) => cause.message);
  expect(refusal).toContain(`The database of DATABASE_URL is in use by meguri `);
  expect(refusal).toContain("set DATABASE_URL to another database.");
  expect((await app.fetch("/api/ready")).status).toBe(200);
});
