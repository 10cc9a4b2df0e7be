import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { hang, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { moveToPostgres } from "@/lib/server/entry/move-to-postgres";
import { emptyDatabase } from "@/lib/server/testing/database-env";
import { callApi, withApplication } from "./testing/call-api";
import { hanging, haveEverything } from "./testing/everything";
import { startCommand } from "./testing/run-command";

const model = await startOpenAiServer(
  ({ lastUserText }) => (lastUserText.startsWith(hanging) ? [say("One moment."), hang] : [say("An answer.")]),
  { models: ["test-model"] },
);
// It begins with a data folder, whatever database the other tests are about.
withApplication(
  { plain: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] } },
  { AUTH: "local", OPENAI_BASE_URL: model.url, DATABASE_URL: "", APP_SECRET: "", PUBLIC_URL: "" },
);
const home = mkdtempSync(join(tmpdir(), "meguri-move-"));
let database: Awaited<ReturnType<typeof emptyDatabase>>;
beforeAll(async () => {
  database = await emptyDatabase();
});
afterAll(async () => {
  await model.close();
  await database.drop();
  rmSync(home, { recursive: true, force: true });
});

async function end(): Promise<void> {
  const { pool, store, temporary } = await getDeps();
  await temporary.close();
  await pool.close();
  await store.close();
  delete (globalThis as Record<symbol, unknown>)[Symbol.for("meguri.deps")];
}

const own = { authorization: "", origin: "http://127.0.0.1:3999" };
const read = async (path: string, headers = {}) => {
  const answer = await callApi("GET", path, undefined, headers);
  return [path, answer.status, await answer.text()];
};

test("after the move an application on PostgreSQL shows what the folder did, and everybody stays signed in", async () => {
  await callApi("PATCH", "/api/settings", { providers: { google: { apiKey: "g-key-1234" } } });
  const made = await haveEverything(callApi, "Utsusu", "openai/test-model");
  const signIn = await callApi("GET", "/api/session?token=token-for-tests-only", undefined, own);
  const cookie = signIn.headers.get("set-cookie")?.split(";")[0] ?? "";
  await callApi("POST", `/api/runs/${made.liveRun}/stop`, {});
  await made.live;
  const paths = [
    ...["/api/conversations", `/api/conversations/${made.conversationId}`, "/api/settings"],
    ...[`/api/runs/${made.runId}`, `/api/runs/${made.runId}/events`, `/api/runs/${made.liveRun}/events`],
    ...[`/api/attachments/${made.files[0]}`, `/api/attachments/${made.files[1]}`, "/api/search?q=Utsusu"],
    ...["/api/projects", "/api/assistants", "/api/prompts", "/api/mcp/presets", "/api/tokens"],
  ];
  const all = async () => [
    ...(await Promise.all(paths.map((path) => read(path)))),
    await read(`/api/share/${made.token}`, own),
    await read("/api/conversations", { authorization: "", cookie }),
  ];
  const before = await all();
  expect(before.filter(([, status]) => status !== 200)).toEqual([]);
  const from = process.env.DATA_DIR ?? "";
  const { url } = database;
  const move = (args: string[] = [], env: Record<string, string> = {}) =>
    moveToPostgres({ ...process.env, ...env }, ["--from", from, "--to", url, ...args], () => {});
  await expect(move()).rejects.toThrow(/is in use by process \d+; stop it/);
  await end();

  const tried = (await move(["--dry-run"])).join("\n");
  expect(tried).toMatch(/can be moved: \d+ conversations, .*\nNothing was changed\./);
  await expect(move([], { APP_SECRET: "x".repeat(32) })).rejects.toThrow(
    /is not the one that the stored data/,
  );
  expect(await database.ask("select from pg_class where relname in ('conversation', 'instance')")).toEqual(
    [],
  );
  // It stops in the middle of the transaction to read a file to which nobody writes.
  const pipe = join(home, "mcp-servers.json");
  execFileSync("mkfifo", [pipe]);
  const child = startCommand("move-to-postgres.ts", ["--from", from, "--to", url], { MCP_CONFIG: pipe });
  onTestFinished(() => void child.kill("SIGKILL"));
  await expect.poll(() => database.ask(waiting)).toEqual([{ waiting: true }]);
  child.kill("SIGKILL");
  await once(child, "close");
  // Its tables may be there or not.
  await expect
    .poll(async () => {
      const [found] = await database.ask("select to_regclass('conversation') is not null as made");
      return found?.made ? database.ask("select count(*)::int as rows from conversation") : [{ rows: 0 }];
    })
    .toEqual([{ rows: 0 }]);

  const lines = (await move()).join("\n");
  const secrets = JSON.parse(readFileSync(join(from, "secrets.json"), "utf8")) as Record<string, string>;
  expect(lines).toMatch(/is in PostgreSQL now: \d+ conversations, .* 3 attached files and \d documents/);
  expect(lines).not.toContain(secrets.appSecret);
  const [, command = ""] = /APP_SECRET +what this prints: (.*)/.exec(lines) ?? [];
  const APP_SECRET = execFileSync("sh", ["-c", command], { encoding: "utf8" }).trim();
  expect(APP_SECRET).toBe(secrets.appSecret);
  await expect(move()).rejects.toThrow(/is not empty/);
  const next = { DATABASE_URL: url, DATA_DIR: join(home, "data"), APP_SECRET };
  Object.assign(process.env, { ...next, PUBLIC_URL: "http://127.0.0.1:3999" });
  const there = JSON.stringify(before).replace(
    '\\"storedIn\\":\\"folder\\"',
    '\\"storedIn\\":\\"database\\"',
  );
  expect(await all()).toEqual(JSON.parse(there));
  const { pool } = await getDeps();
  expect(pool.list()).toMatchObject({ configPath: "PostgreSQL: mcp-servers", items: [{ name: "plain" }] });
}, 180_000);

/** Whether the move has written and is in the middle of its transaction. */
const waiting = `select count(*) > 0 as waiting from pg_stat_activity
  where datname = current_database() and state = 'idle in transaction' and backend_xid is not null and query like '%"document"%'`;
