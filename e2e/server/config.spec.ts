import { readFileSync, writeFileSync } from "node:fs";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { apiOf } from "../support/api";
import { type App, startApp } from "../support/app";
import type { Gated } from "../support/gated";
import { processesWith } from "../support/processes";
import { expect, test } from "../support/server-test";

// One application for the file; each test has servers of its own in it.
test.describe.configure({ mode: "default" });

let app: App;
let api: ReturnType<typeof apiOf>;

test.beforeAll(async () => {
  app = await startApp({ mcpConfig: { mcpServers: {}, note: "kept", theme: { dark: true } } });
  api = apiOf(app);
});
test.afterAll(async () => {
  await app.kill9();
  await app.dispose();
});

interface ConfigFile {
  mcpServers: Record<string, McpServerConfig>;
}

const readConfig = (): ConfigFile => JSON.parse(readFileSync(app.mcpConfig, "utf8"));

/** As an editor does: the file on disk changes, nobody tells the application. */
function editConfig(change: (servers: ConfigFile["mcpServers"]) => void): void {
  const document = readConfig();
  change(document.mcpServers);
  writeFileSync(app.mcpConfig, JSON.stringify(document, null, 2));
}

const statusOf = (name: string) => async () => {
  const { items } = await api.servers();
  return items.find((item) => item.name === name)?.status;
};
const starts = (gated: Gated) => gated.lines().filter(({ event }) => event === "start").length;

async function approve(name: string): Promise<void> {
  const { approvalHash } = await api.server(name);
  await api.post(`/api/mcp/servers/${name}/approve`, { hash: approvalHash });
  await expect.poll(statusOf(name)).toBe("ready");
}

test("an entry that appears in the file is not started before it is approved in that form", async ({
  gated,
}) => {
  editConfig((servers) => {
    servers.appeared = gated.config;
  });
  await expect.poll(statusOf("appeared")).toBe("needs_approval");
  const shown = await api.server("appeared");
  expect(shown.approvalForm.argv).toEqual([gated.config.command, ...(gated.config.args ?? [])]);
  expect(shown.tools).toEqual([]);
  await api.post("/api/mcp/servers/appeared/restart");
  expect(await statusOf("appeared")()).toBe("needs_approval");
  expect(starts(gated)).toBe(0);
  expect(processesWith(gated.journal)).toEqual([]);

  await approve("appeared");
  expect((await api.server("appeared")).tools.map(({ qualifiedName }) => qualifiedName)).toEqual([
    "appeared__look",
    "appeared__work",
  ]);
  expect(starts(gated)).toBe(1);
});

for (const [what, change] of [
  ["arguments", (config: McpServerConfig) => config.args?.push("Another description")],
  [
    "environment",
    (config: McpServerConfig) => Object.assign(config, { env: { NODE_OPTIONS: "--no-warnings" } }),
  ],
  ["folder", (config: McpServerConfig) => Object.assign(config, { cwd: "/tmp" })],
] as const) {
  test(`changed ${what} stop a server and ask again`, async ({ gated }) => {
    const name = `changed-${what}`;
    editConfig((servers) => {
      servers[name] = structuredClone(gated.config);
    });
    await expect.poll(statusOf(name)).toBe("needs_approval");
    await approve(name);
    const { approvalHash: stale } = await api.server(name);

    editConfig((servers) => change(servers[name] ?? {}));
    await expect.poll(statusOf(name)).toBe("needs_approval");
    expect((await api.server(name)).tools).toEqual([]);
    await expect.poll(() => processesWith(gated.journal)).toEqual([]);
    const call = await api.send("POST", `/api/mcp/servers/${name}/tools/look/call`, { args: {} });
    expect(call.status).toBe(409);

    const refused = await api.send("POST", `/api/mcp/servers/${name}/approve`, { hash: stale });
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({ error: { code: "stale_hash" } });
    expect(starts(gated)).toBe(1);
    await approve(name);
    expect(starts(gated)).toBe(2);
  });
}

test("changing it back needs no new approval of what was approved last, and only of that", async ({
  gated,
}) => {
  editConfig((servers) => {
    servers.back = gated.config;
  });
  await expect.poll(statusOf("back")).toBe("needs_approval");
  await approve("back");
  editConfig((servers) => {
    servers.back = { ...gated.config, args: [...(gated.config.args ?? []), "B"] };
  });
  await expect.poll(statusOf("back")).toBe("needs_approval");
  editConfig((servers) => {
    servers.back = gated.config;
  });
  await expect.poll(statusOf("back")).toBe("ready");
});

test("a broken file changes nothing, says its line and is never overwritten", async ({ gated }) => {
  editConfig((servers) => {
    servers.steady = gated.config;
  });
  await expect.poll(statusOf("steady")).toBe("needs_approval");
  await approve("steady");
  const { pid } = await api.server("steady");
  const good = readFileSync(app.mcpConfig, "utf8");
  const broken = good.replace('"steady": {', '"steady": { "command": 5,');
  for (const text of [broken, good.slice(0, -10), `${good}}`, "", '{"mcpServers": []}']) {
    writeFileSync(app.mcpConfig, text);
    await expect.poll(async () => (await api.servers()).fileError?.message.length ?? 0).toBeGreaterThan(10);
    expect((await api.servers()).fileError?.line, text.slice(-40)).toEqual(expect.any(Number));
    expect(await api.server("steady")).toMatchObject({ status: "ready", pid });
    const refused = await api.send("PATCH", "/api/mcp/servers/steady", { enabled: false });
    expect(refused.status).toBe(409);
    expect(readFileSync(app.mcpConfig, "utf8")).toBe(text);
    writeFileSync(app.mcpConfig, good);
    await expect.poll(async () => (await api.servers()).fileError).toBeNull();
  }
  expect(await api.server("steady")).toMatchObject({ status: "ready", pid });
});

test("a server added over HTTP is written to the file, and started only when it is approved", async ({
  gated,
}) => {
  const preview = await api.post<{ servers: unknown[] }>("/api/mcp/servers?preview=true", {
    text: JSON.stringify({ mcpServers: { added: gated.config } }),
  });
  expect(preview.servers).toMatchObject([{ name: "added", exists: false }]);
  expect(await statusOf("added")()).toBeUndefined();
  await api.post("/api/mcp/servers", { name: "added", config: { ...gated.config, custom: { a: [1] } } });
  expect(await api.server("added")).toMatchObject({ status: "needs_approval", tools: [], pid: null });
  expect(readConfig()).toMatchObject({
    note: "kept",
    theme: { dark: true },
    mcpServers: { added: { custom: { a: [1] } } },
  });
  const again = await api.send("POST", "/api/mcp/servers", { name: "added", config: gated.config });
  expect(again.status).toBe(409);
  expect(starts(gated)).toBe(0);
  await app.restart();
  expect(await statusOf("added")()).toBe("needs_approval");
  expect(starts(gated)).toBe(0);
  await approve("added");
});

test("switching off ends the child, a change keeps unknown fields and secrets, removing forgets the approval", async ({
  gated,
}) => {
  const config = { ...gated.config, env: { API_KEY: "very-secret-value" }, custom: { a: [1] } };
  await api.post("/api/mcp/servers", { name: "mine", config });
  await approve("mine");
  expect(JSON.stringify(await api.servers())).not.toContain("very-secret-value");

  await api.patch("/api/mcp/servers/mine", { enabled: false });
  expect(await statusOf("mine")()).toBe("disabled");
  await expect.poll(() => processesWith(gated.journal)).toEqual([]);
  expect(readConfig()).toMatchObject({ note: "kept", mcpServers: { mine: { ...config, disabled: true } } });

  // What was shown goes back as it was shown, masked: the secret stays, and so does the approval.
  const { config: shown } = await api.server("mine");
  await api.patch("/api/mcp/servers/mine", { config: shown, enabled: true, tools: { work: false } });
  await expect.poll(statusOf("mine")).toBe("ready");
  expect(readConfig().mcpServers.mine).toEqual({ ...config, disabledTools: ["work"] });
  const { tools } = await api.server("mine");
  expect(tools.map(({ name, enabled }) => [name, enabled])).toEqual([
    ["look", true],
    ["work", false],
  ]);

  const removed = await api.send("DELETE", "/api/mcp/servers/mine");
  expect(removed.ok).toBe(true);
  expect(await statusOf("mine")()).toBeUndefined();
  await expect.poll(() => processesWith(gated.journal)).toEqual([]);
  const before = starts(gated);
  await api.post("/api/mcp/servers", { name: "mine", config });
  expect(await statusOf("mine")()).toBe("needs_approval");
  expect(starts(gated)).toBe(before);
});

for (const [what, body] of [
  ["a name of the prototype", '{"name":"__proto__","config":{"command":"node"}}'],
  [
    "the prototype in a pasted file",
    '{"text":"{\\"mcpServers\\":{\\"__proto__\\":{\\"command\\":\\"node\\"}}}"}',
  ],
  ["a command and a URL", '{"name":"x","config":{"command":"node","url":"http://127.0.0.1:9/"}}'],
  ["a URL of a file", '{"name":"x","config":{"url":"file:///etc/passwd"}}'],
  ["a password in a URL", '{"name":"x","config":{"url":"http://a:b@127.0.0.1:9/"}}'],
  ["numbers as arguments", '{"name":"x","config":{"command":"node","args":[1]}}'],
] as const) {
  test(`${what} is refused in words, and the file stays`, async () => {
    const before = readFileSync(app.mcpConfig, "utf8");
    const response = await app.fetch("/api/mcp/servers", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body,
    });
    expect(response.status).toBe(400);
    expect((await response.json()).error.message.length).toBeGreaterThan(15);
    expect(readFileSync(app.mcpConfig, "utf8")).toBe(before);
  });
}

test("what hides in an argument is shown, and nothing of it is started", async ({ gated }) => {
  const args = [...(gated.config.args ?? []), "a\u0000b\n\u202e\u200bc", "$(touch x)"];
  await api.post("/api/mcp/servers", { name: "hidden", config: { command: "sh", args } });
  const { approvalForm, status } = await api.server("hidden");
  expect(status).toBe("needs_approval");
  expect(approvalForm.argv?.slice(-2)).toEqual(["a\\u0000b\\u000a\\u202e\\u200bc", "$(touch x)"]);
  expect(starts(gated)).toBe(0);
});
