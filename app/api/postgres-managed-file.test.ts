import { readFile, writeFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { McpServerItem, McpServerList } from "@/lib/protocol/mcp";
import { callApi, withApplication } from "./testing/call-api";

const plain = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
withApplication(
  { plain, far: { url: "http://127.0.0.1:9/mcp", disabled: true } },
  { MCP_CONFIG_MODE: "file" },
);

const path = () => process.env.MCP_CONFIG ?? "";
const list = async (): Promise<McpServerList> => (await callApi("GET", "/api/mcp/servers")).json();
const server = async (name: string): Promise<McpServerItem> =>
  (await callApi("GET", `/api/mcp/servers/${name}`)).json();

test("servers of a deployed file are shown and used, and each way to change them is refused with the file's name", async () => {
  const before = await readFile(path(), "utf8");
  expect(await list()).toMatchObject({ isManaged: true, configPath: path(), fileError: null });
  expect(await server("plain")).toMatchObject({ status: "ready" });
  const { text, version } = await (await callApi("GET", "/api/mcp/file")).json();
  const entry = { url: "https://example.com/mcp", headers: { Authorization: "Bearer a-token-to-be-hidden" } };
  const refused = await Promise.all([
    callApi("POST", "/api/mcp/servers", { name: "new", config: entry, encrypt: true }),
    callApi("PATCH", "/api/mcp/servers/far", { config: entry, encrypt: true }),
    callApi("PATCH", "/api/mcp/servers/plain", { enabled: false }),
    callApi("PATCH", "/api/mcp/servers/plain", { deferred: true }),
    callApi("PATCH", "/api/mcp/servers/plain", { tools: { echo: false } }),
    callApi("DELETE", "/api/mcp/servers/plain"),
    callApi("PUT", "/api/mcp/file", { text, version }),
  ]);
  for (const answer of refused) {
    expect(answer.status).toBe(409);
    expect((await answer.json()).error).toMatchObject({
      code: "file_managed",
      message: expect.stringMatching(new RegExp(`^The servers are set up in ${path()}.*change them there`)),
    });
  }
  expect(await readFile(path(), "utf8")).toBe(before);
  // Nor was anything stored on the way.
  expect((await server("far")).secrets).toEqual([]);
  const preview = await callApi("PUT", "/api/mcp/file?preview=true", { text: '{"mcpServers":{}}', version });
  expect(await preview.json()).toMatchObject({ changes: [{ change: "removed" }, { change: "removed" }] });
});

test("what is decided here goes on: approvals, accepted tools, secrets, restarts", async () => {
  const added = { command: "node", args: plain.args, env: { A: `\${secret:A}` }, perInstance: true };
  const document = JSON.parse(await readFile(path(), "utf8"));
  await writeFile(path(), JSON.stringify({ mcpServers: { ...document.mcpServers, added } }));
  await expect.poll(async () => (await server("added")).status).toBe("needs_approval");
  const changed = await callApi("PATCH", "/api/mcp/servers/added/secrets", { A: "a value" });
  expect(changed.status).toBe(200);
  const { approvalHash: hash } = await server("added");
  expect((await callApi("POST", "/api/mcp/servers/added/approve", { hash })).status).toBe(200);
  await expect.poll(async () => (await server("added")).status).toBe("ready");
  const echo = (await server("added")).tools.find(({ name }) => name === "echo");
  const blockDefinition = { tool: "echo", hash: echo?.hash };
  expect((await callApi("PATCH", "/api/mcp/servers/added", { blockDefinition })).status).toBe(200);
  expect((await server("added")).tools.find(({ name }) => name === "echo")?.blocked).toBe(true);
  expect((await callApi("POST", "/api/mcp/servers/added/restart", {})).status).toBe(200);
  await writeFile(path(), JSON.stringify(document));
  await expect.poll(async () => (await list()).items).toHaveLength(2);
});
