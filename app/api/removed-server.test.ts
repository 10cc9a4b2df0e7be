import { beforeEach, expect, test } from "vitest";
import type { ServerPreset } from "@/lib/protocol/choice";
import type { Page } from "@/lib/protocol/http";
import type { McpServerConfig, McpServerItem } from "@/lib/protocol/mcp";
import type { McpFile } from "@/lib/protocol/mcp-file";
import type { SettingsItem } from "@/lib/protocol/settings";
import { getDeps } from "@/lib/server/entry/deps";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import { callApi, withApplication } from "./testing/call-api";
import { readMcpFile, readMcpLock, writeMcpFile } from "./testing/mcp-file";

const script = "lib/mcp/testing/fixture-server.mjs";
const other: McpServerConfig = { command: "node", args: [script, "plain"], perInstance: true };
const crm: McpServerConfig = { ...other, env: { KEY: `\${secret:KEY}` } };
withApplication({});

const get = async <Value>(path: string): Promise<Value> => (await callApi("GET", path)).json();
const server = (name: string) => get<McpServerItem>(`/api/mcp/servers/${name}`);
const kept = async () => JSON.parse(await readMcpFile());
const write = (mcpServers: object) => writeMcpFile(JSON.stringify({ mcpServers }, null, 2));
const lock = async () => JSON.parse(await readMcpLock());

async function approve(name: string): Promise<void> {
  const { approvalHash: hash } = await server(name);
  expect((await callApi("POST", `/api/mcp/servers/${name}/approve`, { hash })).status).toBe(200);
  await expect.poll(async () => (await server(name)).status, { timeout: 20_000 }).toBe("ready");
}

const rule = (pattern: string) => ({ pattern, effect: "allow" as const });
const rules = [rule("mcp:crm:echo"), rule("mcp:crm2:echo"), rule("mcp:*:wait")];

const listed = async () => (await getDeps()).pool.list().items.map(({ name }) => name);

/** What is kept of the server that was removed, and of others. */
async function left() {
  const { serverSecrets, store } = await getDeps();
  return {
    rules: (await get<SettingsItem>("/api/settings")).rules.map(({ pattern }) => pattern),
    presets: (await get<Page<ServerPreset>>("/api/mcp/presets")).items.map(({ servers }) => servers),
    requests: (await store.settings.get("local", "requests:crm")) ?? [],
    secrets: serverSecrets.names("crm"),
    pinned: Object.keys((await lock()).servers).includes("crm"),
  };
}

beforeEach(async () => {
  for (const { id } of (await get<Page<ServerPreset>>("/api/mcp/presets")).items)
    await callApi("DELETE", `/api/mcp/presets/${id}`);
  await write({});
  await expect.poll(listed, { timeout: 10_000 }).toEqual([]);
  await callApi("POST", "/api/mcp/servers", { name: "crm", config: crm });
  await callApi("PATCH", "/api/mcp/servers/crm/secrets", { KEY: "a-secret-of-crm" });
  await approve("crm");
  await callApi("PATCH", "/api/settings", { rules });
  await callApi("POST", "/api/mcp/presets", { name: "Work", servers: ["crm", "crm2"] });
  await callApi("POST", "/api/mcp/servers/crm/requests", { tool: "echo", name: "One", args: {} });
  const all = { secrets: ["KEY"], pinned: true, presets: [["crm", "crm2"]], requests: [{ name: "One" }] };
  await expect.poll(left).toMatchObject(all);
});

const nothing = {
  rules: ["mcp:crm2:echo", "mcp:*:wait"],
  presets: [["crm2"]],
  requests: [],
  secrets: [],
  pinned: false,
};

test("what was allowed to a server ends when it is deleted: another of its name asks for everything", async () => {
  expect((await callApi("DELETE", "/api/mcp/servers/crm")).status).toBe(200);
  expect(await left()).toMatchObject(nothing);
  // The same form as before, even.
  await callApi("POST", "/api/mcp/servers", { name: "crm", config: crm });
  expect(await server("crm")).toMatchObject({
    status: "needs_approval",
    secrets: [{ name: "KEY", stored: false, used: true }],
  });
  expect(await left()).toMatchObject(nothing);
});

test("so it does when it is taken out of the file by hand", async (context) => {
  onSqlite(context, "A row is changed over the API alone.");
  await write({});
  await expect.poll(listed, { timeout: 10_000 }).toEqual([]);
  await write({ crm });
  await expect.poll(listed, { timeout: 10_000 }).toEqual(["crm"]);
  expect((await server("crm")).status).toBe("needs_approval");
  await expect.poll(left, { timeout: 10_000 }).toMatchObject(nothing);
});

test("a rename in the file is the end of one server and the beginning of another", async () => {
  const file = await get<McpFile>("/api/mcp/file");
  const text = file.text.replace('"crm"', '"crm2"');
  expect((await callApi("PUT", "/api/mcp/file", { text, version: file.version })).status).toBe(200);
  expect(Object.keys((await kept()).mcpServers)).toEqual(["crm2"]);
  expect((await server("crm2")).status).toBe("needs_approval");
  // A rule that was made for the new name before it was there may have been another server's.
  expect(await left()).toMatchObject({ ...nothing, rules: ["mcp:*:wait"], presets: [[]] });
});

test("one that was changed in the file keeps what was allowed to it, and waits for approval", async () => {
  await write({ crm: { ...crm, args: [script, "plain", "more"] } });
  await expect.poll(async () => (await server("crm")).status, { timeout: 10_000 }).toBe("needs_approval");
  expect(await left()).toMatchObject({ secrets: ["KEY"], pinned: true, presets: [["crm", "crm2"]] });
  await write({ crm, other });
  await expect.poll(async () => (await server("crm")).status, { timeout: 20_000 }).toBe("ready");
  expect((await left()).rules).toEqual(rules.map(({ pattern }) => pattern));
  await callApi("DELETE", "/api/mcp/servers/other");
});
