import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { ConversationItem, Page } from "@/lib/protocol/http";
import { apiOf } from "../support/api";
import { startApp } from "../support/app";
import { noServers } from "../support/default-servers";
import { makeGated } from "../support/gated";
import { rawRequest } from "../support/raw-request";
import { expect, test } from "../support/server-test";

let folder: string;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "meguri-start-"));
});
test.afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The exit code of a start that cannot succeed and all it prints, besides the lines of Next.js. */
async function refusal(env: Record<string, string>): Promise<{ code: number; lines: string[] }> {
  const { message } = await startApp({ env }).then(
    async (app) => {
      await app.dispose();
      return new Error("It started.");
    },
    (cause: Error) => cause,
  );
  const code = Number(/ended with code (\d+)/.exec(message)?.[1]);
  const printed = message.split("\n").slice(1);
  return { code, lines: printed.filter((line) => line.trim() !== "" && !/^\s*[✓▲⚠]/.test(line)) };
}

/** The one sentence that a start which fails has to say. */
async function refusedWith(env: Record<string, string>): Promise<string> {
  const { code, lines } = await refusal(env);
  const said = lines.join("\n");
  expect(lines, said).toHaveLength(1);
  expect(said).not.toMatch(/Error:|\bat .*:\d+:\d+/);
  expect(code).toBe(1);
  return said;
}

test("a second process on the same DATA_DIR leaves it to the first, also after a kill -9 of that", async ({
  start,
}) => {
  const first = await start(noServers);
  const env = { DATA_DIR: first.dataDir };
  expect(await refusedWith(env)).toMatch(
    new RegExp(`^DATA_DIR .* is in use by process ${first.pid}; stop it, or set DATA_DIR`),
  );
  expect((await first.fetch("/api/ready")).status).toBe(200);
  await first.kill9();
  const second = await start({ ...noServers, env });
  expect((await second.fetch("/api/ready")).status).toBe(200);
});

test("what a start has compiled is kept for the next one, also of a process that is killed", async ({
  start,
}) => {
  const app = await start({ ...noServers, env: { NODE_COMPILE_CACHE: folder } });
  const kept = () => readdirSync(folder, { recursive: true }).length;
  await expect.poll(kept).toBeGreaterThan(100);
  await app.kill9();
  expect(kept()).toBeGreaterThan(100);
});

test("a DATA_DIR that cannot be made is one sentence", async () => {
  writeFileSync(join(folder, "file"), "");
  expect(await refusedWith({ DATA_DIR: join(folder, "file", "data") })).toMatch(
    /^DATA_DIR .*file\/data cannot be written \(.*\); .*set DATA_DIR to another folder/,
  );
});

for (const name of ["meguri.db", "run-log.db"]) {
  test(`${name} of a newer version is left alone, and one that is damaged as well`, async ({ start }) => {
    const app = await start(noServers);
    await app.stop();
    const path = join(app.dataDir, name);
    const db = new DatabaseSync(path);
    db.exec("insert into schema_version (version) values (9999)");
    db.close();
    const env = { DATA_DIR: app.dataDir };
    expect(await refusedWith(env)).toMatch(
      /was written by a newer Meguri \(schema 9999.*set DATA_DIR to another folder/,
    );
    writeFileSync(path, "This is no database. ".repeat(1_000));
    expect(await refusedWith(env)).toMatch(/is damaged or no database of ours .*restore it from a backup/);
  });
}

test("damaged secrets stop the start instead of signing everybody out", async ({ start }) => {
  const app = await start(noServers);
  await app.stop();
  writeFileSync(join(app.dataDir, "secrets.json"), "{");
  expect(await refusedWith({ DATA_DIR: app.dataDir })).toMatch(/secrets\.json is damaged; restore it/);
});

for (const [what, env, sentence] of [
  ["a PORT that is none", { PORT: "http" }, /^PORT must be a number from 0 to 65535, not "http"/],
  ["HOST=0.0.0.0", { HOST: "0.0.0.0" }, /^HOST=0\.0\.0\.0 opens Meguri to the network, which needs accounts/],
  ["a model of a provider that is not set up", { DEFAULT_MODEL: "google/gemini" }, /^DEFAULT_MODEL: /],
  ["a model without provider", { DEFAULT_MODEL: "gemini" }, /^DEFAULT_MODEL must be "provider\/name"/],
  ["a short LAUNCH_TOKEN", { LAUNCH_TOKEN: "short" }, /^LAUNCH_TOKEN must have at least 16 characters/],
  ["a base URL that is none", { OPENAI_BASE_URL: "localhost" }, /^OPENAI_BASE_URL must be a http/],
  ["a wrong TOOL_APPROVAL", { TOOL_APPROVAL: "never" }, /^TOOL_APPROVAL must be "ask" or "allow"/],
] as const) {
  test(`${what} stops the start with a sentence`, async () => {
    expect(await refusedWith(env)).toMatch(sentence);
  });
}

test("a first start that fails leaves the servers of the operator's file as trusted as before", async ({
  start,
}) => {
  const gated = makeGated();
  const env = { DATA_DIR: join(folder, "data") };
  await refusal({ ...env, DEFAULT_MODEL: "google/gemini" });
  const app = await start({ env, mcpConfig: { mcpServers: { gated: gated.config } } });
  await expect.poll(async () => (await apiOf(app).server("gated")).status).toBe("ready");
  gated.dispose();
});

test("a broken mcp-servers.json stops nothing: it is said with its line, and taken once it is mended", async ({
  start,
}) => {
  const gated = makeGated();
  const app = await start();
  await app.stop();
  writeFileSync(app.mcpConfig, '{\n  "mcpServers": {\n    "a": { "command": "node", }\n  }\n}\n');
  await app.restart();
  const api = apiOf(app);
  const { items, fileError } = await api.servers();
  expect(items).toEqual([]);
  expect(fileError).toMatchObject({ line: 3, message: expect.stringMatching(/.{10}/) });
  const refused = await api.send("POST", "/api/mcp/servers", { name: "new", config: gated.config });
  expect(refused.status).toBe(409);
  expect(await refused.json()).toMatchObject({ error: { code: "file_broken" } });

  const asked = await api.ask("count to 2");
  await asked.closed;
  writeFileSync(app.mcpConfig, JSON.stringify({ mcpServers: { gated: gated.config } }));
  await expect.poll(async () => (await api.servers()).fileError).toBeNull();
  // Not the first start any more: what stands in the file now was written by somebody.
  expect((await api.server("gated")).status).toBe("needs_approval");
  expect(gated.lines()).toEqual([]);
  gated.dispose();
});

test("a second start has the same conversations, rules, approvals and session", async ({ start }) => {
  const app = await start();
  const host = new URL(app.baseUrl).host;
  const signedIn = await rawRequest(app, { path: `/?token=${app.token}`, headers: { host } });
  const cookie = String(signedIn.headers["set-cookie"]).split(";")[0] ?? "";
  const api = apiOf(app);
  const asked = await api.ask("count to 3");
  await asked.closed;
  await api.patch("/api/settings", { rules: [{ pattern: "mcp:memory:*", effect: "allow" }] });
  const before = await api.get<Page<ConversationItem>>("/api/conversations");
  const token = app.token;
  expect(await app.stop()).toBe(0);
  await app.restart();
  expect(await api.get("/api/conversations")).toEqual(before);
  expect(await api.get("/api/settings")).toMatchObject({ rules: [{ pattern: "mcp:memory:*" }] });
  expect(app.output().split("Meguri is ready").at(-1)).toContain(token);
  const { status } = await rawRequest(app, { path: "/api/conversations", headers: { host, cookie } });
  expect(status).toBe(200);
  await expect
    .poll(async () => (await api.servers()).items.map((item) => item.status))
    .toEqual(["ready", "ready", "ready"]);
});
