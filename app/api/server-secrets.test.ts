import { afterEach, expect, test } from "vitest";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { McpImport } from "@/lib/protocol/mcp-file";
import { getDeps } from "@/lib/server/entry/deps";
import { storedWith } from "@/lib/server/testing/stored-files";
import { callApi, withApplication } from "./testing/call-api";
import { readMcpFile } from "./testing/mcp-file";

withApplication({});

const token = "correct-horse-battery";
const plain = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"], perInstance: true };
const path = (name: string, tail = "") => `/api/mcp/servers/${name}${tail}`;
const server = async (name: string): Promise<McpServerItem> => (await callApi("GET", path(name))).json();
const add = async (body: object): Promise<McpImport> =>
  (await callApi("POST", "/api/mcp/servers", body)).json();
const said = async (response: Response) => `${response.status} ${(await response.json()).error.message}`;

afterEach(async () => {
  const { items } = (await (await callApi("GET", "/api/mcp/servers")).json()) as { items: McpServerItem[] };
  for (const { name } of items) await callApi("DELETE", path(name));
});

async function settle(name: string, status: string): Promise<McpServerItem> {
  await expect.poll(async () => (await server(name)).status, { timeout: 20_000 }).toBe(status);
  return server(name);
}

async function approve(name: string): Promise<void> {
  const { approvalHash } = await server(name);
  expect((await callApi("POST", path(name, "/approve"), { hash: approvalHash })).status).toBe(200);
}

/** What the server tells of its environment; `hex` in digits, in which no secret can be recognized. */
const told = async (name: string, hex: boolean): Promise<string> => {
  const response = await callApi("POST", path(name, "/tools/environment/call"), { args: { hex } });
  const { content } = await response.json();
  return content[0].text;
};
const environmentOf = async (name: string): Promise<Record<string, string>> =>
  JSON.parse(Buffer.from(await told(name, true), "hex").toString("utf8"));

test("a secret that was pasted in clear goes to the server and to nothing else, is replaced and deleted", async () => {
  const text = JSON.stringify({
    mcpServers: { mine: { ...plain, env: { API_TOKEN: token, MODE: "fast" } } },
  });
  const preview = await (
    await callApi("POST", "/api/mcp/servers?preview=true", { text, encrypt: true })
  ).json();
  expect(preview.servers[0].secrets).toEqual([
    { name: "API_TOKEN", field: "env.API_TOKEN", label: null, found: true },
  ]);
  expect(JSON.stringify(preview)).not.toContain(token);
  expect(JSON.parse(await readMcpFile()).mcpServers).not.toHaveProperty("mine");

  await add({ text, encrypt: true });
  expect(JSON.parse(await readMcpFile()).mcpServers.mine.env).toEqual({
    API_TOKEN: `\${secret:API_TOKEN}`,
    MODE: "fast",
  });
  expect((await server("mine")).status).toBe("needs_approval");
  await approve("mine");
  const ready = await settle("mine", "ready");
  expect(ready.secrets).toEqual([{ name: "API_TOKEN", stored: true, used: true }]);
  expect(JSON.stringify(ready)).not.toContain(token);
  expect(await environmentOf("mine")).toMatchObject({ API_TOKEN: token, MODE: "fast" });
  expect(JSON.parse(await told("mine", false))).toMatchObject({ API_TOKEN: "••••", MODE: "fast" });
  expect((await getDeps()).pool.secrets()).toContain(token);
  expect(await storedWith(token)).toEqual([]);
  expect(await readMcpFile()).not.toContain(token);

  expect((await callApi("PATCH", path("mine", "/secrets"), { API_TOKEN: "another-one" })).status).toBe(200);
  await settle("mine", "ready");
  expect(await environmentOf("mine")).toMatchObject({ API_TOKEN: "another-one" });
  expect(JSON.parse(await told("mine", false))).toMatchObject({ API_TOKEN: "••••" });

  await callApi("PATCH", path("mine", "/secrets"), { API_TOKEN: null });
  const failed = await settle("mine", "failed");
  expect(failed.lastError?.message).toBe(
    "env.API_TOKEN names the secret API_TOKEN, which is not stored; enter it under Secrets of this server.",
  );
  expect(failed.secrets).toEqual([{ name: "API_TOKEN", stored: false, used: true }]);
});

test("a secret belongs to one server: another that names it gets nothing, and so does the next of that name", async () => {
  const config = { ...plain, env: { X: `\${secret:KEY}` } };
  await add({ name: "owner", config, secrets: { owner: { KEY: token } } });
  await add({ name: "thief", config });
  await approve("owner");
  await approve("thief");
  await settle("owner", "ready");
  expect((await settle("thief", "failed")).lastError?.message).toContain(
    "the secret KEY, which is not stored",
  );
  await callApi("DELETE", path("owner"));
  await add({ name: "owner", config });
  expect((await server("owner")).secrets).toEqual([{ name: "KEY", stored: false, used: true }]);
  await callApi("DELETE", path("owner"));
  await callApi("DELETE", path("thief"));
});

test("an entry that is there keeps its values while its secrets move out of the file", async () => {
  await add({ name: "plain", config: { ...plain, env: { API_TOKEN: token, MODE: "fast" } } });
  expect(await readMcpFile()).toContain(token);
  const { config } = await server("plain");
  expect((await callApi("PATCH", path("plain"), { config, encrypt: true })).status).toBe(200);
  expect(JSON.parse(await readMcpFile()).mcpServers.plain.env).toEqual({
    API_TOKEN: `\${secret:API_TOKEN}`,
    MODE: "fast",
  });
  await approve("plain");
  await settle("plain", "ready");
  expect(await environmentOf("plain")).toMatchObject({ API_TOKEN: token });
});

test("the exported file holds references, and asks for them where it is pasted", async () => {
  await add({
    name: "clear",
    config: { command: "x", env: { API_TOKEN: token, ODD: "two words", PORT: "1" }, mine: 1 },
  });
  const response = await callApi("GET", "/api/mcp/export");
  expect(response.headers.get("content-disposition")).toBe('attachment; filename="mcp-servers.json"');
  const text = await response.text();
  expect(text).not.toContain(token);
  expect(JSON.parse(text).mcpServers.clear).toEqual({
    ...{ command: "x", mine: 1 },
    env: { API_TOKEN: `\${secret:API_TOKEN}`, ODD: `\${secret:ODD}`, PORT: "1" },
  });
  const preview: McpImport = await (await callApi("POST", "/api/mcp/servers?preview=true", { text })).json();
  expect(
    preview.servers.find(({ name }) => name === "clear")?.secrets.map(({ name, found }) => [name, found]),
  ).toEqual([
    ["API_TOKEN", false],
    ["ODD", false],
  ]);
});

test("only the wanted servers are added, and names and values are checked", async () => {
  const text = JSON.stringify({ a1: { command: "x" }, a2: { command: "y" } });
  await add({ text, only: ["a2"] });
  expect(Object.keys(JSON.parse(await readMcpFile()).mcpServers)).toContain("a2");
  expect(Object.keys(JSON.parse(await readMcpFile()).mcpServers)).not.toContain("a1");
  expect(await said(await callApi("POST", "/api/mcp/servers", { text, only: ["nobody"] }))).toBe(
    "400 only: none of these servers is in it.",
  );
  for (const body of [{ "a b": "x" }, { A: "" }, { A: 1 }])
    expect((await callApi("PATCH", path("a2", "/secrets"), body)).status).toBe(400);
  expect((await callApi("PATCH", path("nobody", "/secrets"), { A: "x" })).status).toBe(404);
});

test("a server that nobody uses rests when it is told to; what is not ready cannot", async () => {
  await add({ name: "sleeper", config: plain });
  expect(await said(await callApi("POST", path("sleeper", "/sleep"), {}))).toBe(
    "409 sleeper cannot be made idle now: only a local server that is ready and not in use can.",
  );
  await approve("sleeper");
  await settle("sleeper", "ready");
  await expect.poll(async () => (await callApi("POST", path("sleeper", "/sleep"), {})).status).toBe(200);
  const asleep = await settle("sleeper", "sleeping");
  expect([asleep.pid, asleep.tools.length > 0]).toEqual([null, true]);
  expect(await environmentOf("sleeper")).toHaveProperty("PATH");
});

test("a paste is read up to its own limit, however many bytes it takes on the way", async () => {
  const text = JSON.stringify({ wide: { command: "x", env: { NOTE: "あ".repeat(500_000) } } });
  const response = await callApi("POST", "/api/mcp/servers?preview=true", { text });
  expect(response.status).toBe(200);
  expect((await response.json()).servers).toMatchObject([{ name: "wide" }]);
});
