import { readFile, rm, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { startPool } from "./testing/start-pool";
import { fixture, openPool } from "./testing/test-pool";

const write = (path: string, mcpServers: Record<string, McpServerConfig>, more = {}) =>
  writeFile(path, JSON.stringify({ ...more, mcpServers }));
const never = { command: "/bin/sh", args: ["-c", "echo spawned > spawned"] };

test("what stands in the file at the first start is approved by standing there", async () => {
  const { pool, approvals, ready } = await startPool({
    plain: fixture("plain"),
    off: { ...fixture("plain"), disabled: true },
  });
  await ready("plain");
  expect([...approvals.keys()]).toEqual(["plain", "off"]);
  expect(pool.server("off")).toMatchObject({ status: "disabled", enabled: false, tools: [] });
  await pool.file.update("off", fixture("plain"));
  await ready("off");
});

test("otherwise an entry waits for approval of exactly its form, and nothing is started", async () => {
  const { pool, ready, folder } = await startPool(
    { plain: fixture("plain"), bad: { ...never, cwd: "." } },
    { trustFile: false },
  );
  const plain = pool.server("plain");
  expect(plain).toMatchObject({ status: "needs_approval", tools: [], pid: null });
  expect(plain?.approvalForm.argv).toEqual(["node", expect.stringContaining("fixture-server.mjs"), "plain"]);
  await expect(pool.file.approve("plain", "0".repeat(64))).rejects.toMatchObject({ code: "stale" });
  await pool.file.approve("plain", plain?.approvalHash ?? "");
  await ready("plain");
  expect(pool.server("bad")).toMatchObject({ status: "needs_approval" });
  await expect(readFile(`${folder}/spawned`)).rejects.toThrow();
});

test("an entry that changes on disk is stopped, its tools are gone, and the old form comes back approved", async () => {
  const { pool, ready, configPath, until } = await startPool({ plain: fixture("plain") });
  await ready("plain");
  await write(configPath, { plain: { ...fixture("plain"), env: { NEW: "1" } } });
  await until(() => pool.server("plain")?.status === "needs_approval");
  expect(pool.server("plain")?.tools).toEqual([]);
  expect(pool.server("plain")?.approvalForm.envNames).toEqual(["NEW"]);
  expect(pool.tool("plain__echo")).toBeUndefined();
  await write(configPath, { plain: fixture("plain") });
  await ready("plain");
});

test("entries come and go with the file, and equal ones are left alone", async () => {
  const { pool, ready, configPath, until } = await startPool({ plain: fixture("plain") });
  const { pid } = await ready("plain");
  await write(configPath, { plain: { ...fixture("plain"), timeout: 5_000, note: "mine" }, more: never });
  await until(() => pool.server("more") !== undefined);
  expect(pool.server("more")?.status).toBe("needs_approval");
  expect(pool.server("plain")).toMatchObject({
    status: "ready",
    pid,
    config: { timeout: 5_000, note: "mine" },
  });
  await write(configPath, {});
  await until(() => pool.list().items.length === 0);
});

test("a server that comes in another form than its name was approved in is another one; in that form it is the same", async () => {
  const first = await openPool({ plain: fixture("plain"), other: fixture("plain") });
  await Promise.all([first.ready("plain"), first.ready("other")]);
  const { folder, configPath, approvals } = first;
  await first.pool.close();
  // Removed from the file while the application was not running.
  await write(configPath, {});
  const removed: string[] = [];
  const { pool, ready } = await startPool(
    {},
    { folder, trustFile: false, approved: approvals, onRemoved: async (name) => void removed.push(name) },
  );
  await pool.file.add({ plain: fixture("plain"), other: fixture("plain", "more") });
  await ready("plain");
  expect(pool.server("other")?.status).toBe("needs_approval");
  expect(removed).toEqual(["other"]);
  const lock = JSON.parse(await readFile(`${folder}/mcp.lock.json`, "utf8"));
  expect(Object.keys(lock.servers)).toEqual(["plain"]);
});

test("an approval that waits for a removed server approves what was shown, not what the file says by then", async () => {
  const cleared = Promise.withResolvers<void>();
  const { pool, configPath, until, approvals } = await startPool(
    { plain: fixture("plain"), old: fixture("plain") },
    { trustFile: false, onRemoved: () => cleared.promise },
  );
  const removing = pool.file.remove("old");
  await until(() => pool.server("old") === undefined);
  const shown = pool.server("plain")?.approvalHash ?? "";
  const approving = pool.file.approve("plain", shown);
  await write(configPath, { plain: never });
  await until(() => pool.server("plain")?.approvalHash !== shown);
  cleared.resolve();
  await expect(approving).rejects.toMatchObject({ code: "stale" });
  await removing;
  expect(pool.server("plain")?.status).toBe("needs_approval");
  expect([...approvals.keys()]).toEqual([]);
});

test("what could not be forgotten of a removed server is tried again, and stands in the way of no other one", async () => {
  const tries: string[] = [];
  const { pool } = await startPool(
    { plain: fixture("plain"), old: fixture("plain") },
    {
      trustFile: false,
      onRemoved: async (name) => {
        if (tries.push(name) <= 2) throw new Error("The disk is full.");
      },
    },
  );
  await expect(pool.file.remove("old")).rejects.toThrow("The disk is full.");
  await pool.file.approve("plain", pool.server("plain")?.approvalHash ?? "");
  expect(tries).toEqual(["old", "old", "old"]);
});

test("a broken file keeps the old servers and says line and reason, until it is fixed", async () => {
  const { pool, ready, configPath, until } = await startPool({ plain: fixture("plain") });
  const { pid } = await ready("plain");
  await writeFile(configPath, '{\n  "mcpServers": {\n    "a": { "command": "x", },\n  }\n}');
  await until(() => pool.list().fileError !== null);
  expect(pool.list().fileError).toEqual({ line: 3, message: expect.stringContaining("comma too many") });
  expect(pool.server("plain")).toMatchObject({ status: "ready", pid });
  await expect(pool.file.add({ b: fixture("plain") })).rejects.toMatchObject({ code: "file_broken" });
  await rm(configPath);
  await until(() => pool.list().fileError?.message.includes("has gone") ?? false);
  expect(pool.server("plain")).toMatchObject({ status: "ready", pid });
  await write(configPath, { plain: fixture("plain") });
  await until(() => pool.list().fileError === null);
  expect(pool.server("plain")).toMatchObject({ status: "ready", pid });
});

test("adding writes the file, keeps what else stands in it, and starts nothing", async () => {
  const { pool, configPath, ready } = await startPool({});
  await write(configPath, {}, { inputs: [1], $schema: "s" });
  await pool.file.add({ plain: { ...fixture("plain"), unknown: { deep: true } } });
  expect(JSON.parse(await readFile(configPath, "utf8"))).toEqual({
    inputs: [1],
    $schema: "s",
    mcpServers: { plain: { ...fixture("plain"), unknown: { deep: true } } },
  });
  expect(pool.server("plain")).toMatchObject({ status: "needs_approval", pid: null });
  await expect(pool.file.add({ plain: fixture("plain") })).rejects.toMatchObject({ code: "exists" });
  await expect(pool.file.add({ odd: { args: [] } })).rejects.toMatchObject({ code: "invalid" });
  await pool.file.approve("plain", pool.server("plain")?.approvalHash ?? "");
  await ready("plain");
  await pool.file.remove("plain");
  expect(pool.server("plain")).toBeUndefined();
  await expect(pool.file.remove("plain")).rejects.toMatchObject({ code: "not_found" });
});

test("secrets leave masked, and the mask brings the stored value back", async () => {
  const secret = "sk-0123456789abcdef";
  const { pool, configPath } = await startPool({
    plain: {
      ...fixture("plain"),
      env: { LONG: secret, SHORT: "hunter2", REF: `\${env:TOKEN}`, ELSE: `\${TOKEN:-hunter2}` },
      disabled: true,
    },
    remote: {
      url: "http://127.0.0.1:9/mcp?api_key=abcdefgh12345678&page=2",
      headers: { Authorization: `Bearer ${secret}` },
      oauth: { clientSecret: "very-secret-value" },
      disabled: true,
    },
  });
  const text = JSON.stringify(pool.list());
  expect(text).not.toContain(secret);
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain("abcdefgh12345678");
  expect(text).not.toContain("very-secret-value");
  const { config } = pool.server("plain") as { config: McpServerConfig };
  expect(config.env).toEqual({
    LONG: "••••cdef",
    SHORT: "••••",
    REF: `\${env:TOKEN}`,
    ELSE: `\${TOKEN:-••••}`,
  });
  expect(pool.server("remote")?.config).toMatchObject({
    url: "http://127.0.0.1:9/mcp?api_key=••••5678&page=2",
    headers: { Authorization: "••••cdef" },
  });

  await pool.file.update("plain", { ...config, env: { ...config.env, SHORT: "changed" } });
  await pool.file.update("remote", pool.server("remote")?.config ?? {});
  const { mcpServers } = JSON.parse(await readFile(configPath, "utf8"));
  expect(mcpServers.plain.env).toEqual({
    LONG: secret,
    SHORT: "changed",
    REF: `\${env:TOKEN}`,
    ELSE: `\${TOKEN:-hunter2}`,
  });
  expect(mcpServers.remote).toMatchObject({
    url: "http://127.0.0.1:9/mcp?api_key=abcdefgh12345678&page=2",
    headers: { Authorization: `Bearer ${secret}` },
    oauth: { clientSecret: "very-secret-value" },
  });
  await expect(pool.file.update("plain", { ...config, env: { OTHER: "••••cdef" } })).rejects.toMatchObject({
    code: "invalid",
    path: "env.OTHER",
  });
});

test("changing what is started returns to needs approval; switching tools off does not", async () => {
  const { pool, ready } = await startPool({ plain: fixture("plain") });
  const { pid, config } = await ready("plain");
  await pool.file.update("plain", { ...config, disabledTools: ["echo"] });
  expect(pool.server("plain")).toMatchObject({ status: "ready", pid });
  expect(pool.server("plain")?.tools.find((tool) => tool.name === "echo")?.enabled).toBe(false);
  for (const change of [{ args: [...(config.args ?? []), "x"] }, { env: { A: "1" } }, { cwd: "lib" }]) {
    await pool.file.update("plain", { ...config, ...change });
    expect(pool.server("plain")).toMatchObject({ status: "needs_approval", tools: [] });
  }
});

test("changing address or headers of a remote server returns to needs approval", async () => {
  const remote = { url: "http://127.0.0.1:9/mcp", headers: { "X-Key": "one" } };
  const { pool, approvals } = await startPool({ remote });
  for (const change of [
    { url: "http://127.0.0.1:9/other" },
    { headers: { "X-Key": "two" } },
    { headers: {} },
  ]) {
    await pool.file.update("remote", { ...remote, ...change });
    expect(pool.server("remote")).toMatchObject({ status: "needs_approval", lastError: null });
    await pool.file.update("remote", remote);
    expect(pool.server("remote")).toMatchObject({ approvalHash: approvals.get("remote") });
    expect(pool.server("remote")?.status).not.toBe("needs_approval");
  }
});

test("the approval shows everything that could hide", async () => {
  const { pool } = await startPool(
    {
      odd: {
        command: "./run\u202e",
        args: ["-c", "line\nbreak", "\u0000", "x".repeat(5_000)],
        env: { "A\u0007": "1" },
      },
    },
    { trustFile: false },
  );
  expect(pool.server("odd")?.approvalForm).toEqual({
    argv: ["./run\\u202e", "-c", "line\\u000abreak", "\\u0000", "x".repeat(5_000)],
    envNames: ["A\\u0007"],
    env: [{ name: "A\\u0007", value: "••••" }],
    cwd: expect.stringMatching(/^\//),
  });
});

test("our own variables and keys are never put into an entry", async () => {
  const { settled, pool } = await startPool(
    { thief: { ...fixture("plain"), args: [...(fixture("plain").args ?? []), `\${env:GEMINI_API_KEY}`] } },
    { env: { PATH: process.env.PATH, GEMINI_API_KEY: "canary" }, reservedEnv: ["GEMINI_API_KEY"] },
  );
  expect((await settled("thief")).lastError?.message).toContain(
    "GEMINI_API_KEY, which belongs to this application",
  );
  expect(JSON.stringify([pool.list(), pool.logs("thief")])).not.toContain("canary");
});
