import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createMCPClient } from "@ai-sdk/mcp";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, onTestFinished, test } from "vitest";
import { ask, connect, connectNew, newToken, origin, withGateway } from "./testing/mcp-client";

const everything = {
  command: "node",
  args: ["node_modules/@modelcontextprotocol/server-everything/dist/index.js", "stdio"],
};
const monitoring = "a-token-for-monitoring";
withGateway({ memory: everything, other: everything }, { TOOL_APPROVAL: "allow", METRICS_TOKEN: monitoring });

const echoed = { content: [{ type: "text", text: "Echo: It is here." }] };
const echo = { name: "memory__echo", arguments: { message: "It is here." } };

test("the AI SDK's client has the tools of its servers, and calls them", async () => {
  const { value } = await newToken({ servers: ["memory"] });
  const client = await createMCPClient({
    transport: { type: "http", url: `${origin}/mcp`, headers: { authorization: `Bearer ${value}` } },
  });
  onTestFinished(() => client.close());
  const tools = await client.tools();
  expect(Object.keys(tools)).toContain("memory__echo");
  expect(Object.keys(tools).some((name) => name.startsWith("other"))).toBe(false);
  const called = tools.memory__echo?.execute?.(echo.arguments, {
    toolCallId: "1",
    messages: [],
    context: {},
  });
  expect(await called).toMatchObject(echoed);
  const image = await client.callTool({ name: "memory__get-tiny-image" });
  expect(image.content).toContainEqual(expect.objectContaining({ type: "image", mimeType: "image/png" }));
});

test("mcp-remote brings the tools to a client that speaks over stdio alone", async () => {
  const { value } = await newToken({ servers: ["memory"] });
  const folder = mkdtempSync(join(tmpdir(), "meguri-mcp-remote-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const client = new Client({ name: "an-editor", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      ...["node_modules/mcp-remote/dist/proxy.js", `${origin}/mcp`, "--header"],
      `Authorization: Bearer ${value}`,
    ],
    env: { ...getDefaultEnvironment(), MCP_REMOTE_CONFIG_DIR: folder },
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("memory__echo");
  expect(await client.callTool(echo)).toEqual(echoed);
  expect((await client.listPrompts()).prompts.map(({ name }) => name)).toContain("memory__simple-prompt");
});

test("both SDKs read what a tool says beside its words", async () => {
  const { value } = await newToken({ servers: ["memory"] });
  const { client } = await connect(value);
  const call = { name: "memory__get-structured-content", arguments: { location: "Chicago" } };
  const weather = { structuredContent: { temperature: expect.any(Number) } };
  expect(await client.callTool(call)).toMatchObject(weather);
  expect(await (await connectNew(value)).callTool(call)).toMatchObject(weather);
});

test("the token of docs/gateway.md is for the server that it names, and for nothing else", async () => {
  const page = readFileSync(join(process.cwd(), "docs/gateway.md"), "utf8");
  const [, body = ""] = /-d '(\{[^']+\})' \S+\/api\/tokens/.exec(page) ?? [];
  const made = await ask("POST", "/api/tokens", JSON.parse(body));
  expect(made.status).toBe(201);
  const { value } = await made.json();
  const { client } = await connect(value);
  expect(await client.callTool(echo)).toEqual(echoed);
  await expect(client.callTool({ ...echo, name: "other__echo" })).rejects.toMatchObject({ code: -32_602 });
  expect((await ask("GET", "/api/conversations", undefined, value)).status).toBe(403);
});

test("who watches the process sees the streams and the calls of clients", async () => {
  const read = async (name: string) => {
    const answer = await ask("GET", "/api/metrics", undefined, monitoring);
    const [, value] = new RegExp(`^meguri_gateway_${name} (\\d+)$`, "m").exec(await answer.text()) ?? [];
    return Number(value);
  };
  const streams = await read("streams");
  const before = await read('calls_total{outcome="ok"}');
  const refused = await read('calls_total{outcome="refused"}');
  const { client } = await connect((await newToken({ servers: ["memory"] })).value);
  await expect.poll(() => read("streams")).toBeGreaterThan(0);
  await client.callTool(echo);
  await expect(client.callTool({ name: "nowhere" })).rejects.toThrow();
  expect(await read('calls_total{outcome="ok"}')).toBe(before + 1);
  expect(await read('calls_total{outcome="refused"}')).toBe(refused + 1);
  expect(await read("requests")).toBe(0);
  await client.close();
  // Those of other tests may end beside it.
  await expect.poll(() => read("streams")).toBeLessThanOrEqual(streams);
});
