import { expect, test } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { McpServerItem } from "@/lib/protocol/mcp";
import type { ToolCall } from "@/lib/protocol/message";
import { getDeps } from "@/lib/server/entry/deps";
import { approvalPolicy } from "@/lib/server/settings/approval-policy";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({
  memory: {
    command: "node",
    args: ["node_modules/@modelcontextprotocol/server-memory/dist/index.js"],
    env: { SERVICE_PASSWORD: "correct-horse-battery" },
  },
  drift: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "drift"] },
  later: { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "drift"] },
});

const ask = async (text: string) =>
  readStream(await callApi("POST", "/api/chat", { message: { text }, model: "demo/demo" }));
const patch = (body: object) => callApi("PATCH", "/api/mcp/servers/memory", body);

test("a definition is accepted by the hash that was shown, and by no other", async () => {
  const { pool } = await getDeps();
  const hash = pool.tool("memory__read_graph")?.item.hash ?? "";
  const stale = await patch({ acceptDefinition: { tool: "read_graph", hash: "another" } });
  expect([stale.status, (await stale.json()).error.code]).toEqual([409, "stale_hash"]);
  expect((await patch({ acceptDefinition: { tool: "read_graph", hash } })).status).toBe(200);
});

test("a definition that is blocked is neither offered nor run, until it is accepted", async () => {
  const { pool } = await getDeps();
  const hash = pool.tool("memory__create_entities")?.item.hash ?? "";
  const create = { tool: "create_entities", hash };
  expect((await patch({ blockDefinition: { ...create, hash: "another" } })).status).toBe(409);
  expect((await patch({ blockDefinition: create })).status).toBe(200);
  const { chunks } = await ask('/tool memory__create_entities {"entities": []}');
  expect(chunks.find(({ type }) => type === "tool_result")).toMatchObject({
    result: { status: "error", content: [{ text: expect.stringContaining("There is no tool") }] },
  });
  const tried = await callApi("POST", "/api/mcp/servers/memory/tools/create_entities/call", { args: {} });
  expect([tried.status, (await tried.json()).error.code]).toEqual([409, "definition_blocked"]);
  const { items } = await (await callApi("GET", "/api/mcp/servers/memory/definitions")).json();
  const shown = items.find(({ tool }: { tool: string }) => tool === "create_entities");
  expect(shown).toMatchObject({ state: "pinned", blocked: true, present: { hash }, accepted: { hash } });
  expect((await patch({ acceptDefinitions: [create] })).status).toBe(200);
  expect(pool.tool("memory__create_entities")?.item.blocked).toBe(false);
});

test("a server is deferred and brought back without a new approval", async () => {
  const { pool } = await getDeps();
  const before = pool.server("memory");
  const deferred: McpServerItem = await (await patch({ deferred: true })).json();
  expect(deferred).toMatchObject({ status: "ready", approvalHash: before?.approvalHash });
  expect([deferred.config.deferred, pool.isDeferred("memory__read_graph")]).toEqual([true, true]);
  await patch({ deferred: false });
  expect(pool.server("memory")?.config).toEqual(before?.config);
});

test("the question says which definition it is about", async () => {
  const { runId } = await ask("remember that I like tea");
  const { pending }: RunItem = await (await callApi("GET", `/api/runs/${runId}`)).json();
  const { pool } = await getDeps();
  const [asked] = pending;
  if (asked?.type !== "approval_request") throw new Error("It asked nothing.");
  expect(asked.call.definition).toBe(pool.tool(asked.call.name)?.item.hash);
});

test("a call that a rule or a person's yes lets go is bound to the definition that was judged; a changed one asks again", async () => {
  const deps = await getDeps();
  const userId = "local";
  const call: ToolCall = { type: "tool_call", id: "a" as ToolCallId, name: "drift__shifty", args: {} };
  const judge = (yes: boolean) => approvalPolicy(deps, userId, { has: () => yes })(call);
  const before = deps.pool.tool(call.name)?.item.hash ?? "";
  expect(await judge(false)).toEqual({ ask: "rule", definition: before });
  expect(await judge(true)).toEqual({ allow: { definition: before } });
  const { promise, resolve } = Promise.withResolvers<void>();
  const stop = deps.pool.onChange(() => {
    if (deps.pool.tool(call.name)?.item.definition === "changed") resolve();
  });
  await callApi("POST", "/api/mcp/servers/drift/tools/change/call", { args: {} });
  await promise;
  stop();
  const after = deps.pool.tool(call.name)?.item.hash ?? "";
  expect(after).not.toBe(before);
  // Neither "for this run" nor a rule covers what nobody has seen.
  expect(await judge(true)).toEqual({ ask: "changed_definition", definition: after });
  await deps.store.settings.set(userId, "rules", [{ pattern: "mcp:drift:*", effect: "allow" }]);
  expect(await judge(false)).toEqual({ ask: "changed_definition", definition: after });
  await deps.pool.definitions.acceptTool(call.name, after);
  expect(await judge(false)).toEqual({ allow: { definition: after } });
  await deps.store.settings.set(userId, "rules", []);
});

test("a step is no yes to a definition that has changed since it was asked about", async () => {
  const { pool } = await getDeps();
  const answer = async (runId: string) => {
    const { pending }: RunItem = await (await callApi("GET", `/api/runs/${runId}`)).json();
    const given = { requestId: pending[0]?.requestId, decision: "step" };
    const next = await (await callApi("POST", `/api/runs/${runId}/answer`, given)).json();
    return readStream(await callApi("GET", `/api/runs/${next.runId}/stream`));
  };
  const body = { message: { text: "/tool later__shifty {}" }, model: "demo/demo", options: { step: true } };
  const first = await readStream(await callApi("POST", "/api/chat", body));
  const second = await answer(first.runId);
  expect(second.chunks.at(-2)).toMatchObject({ type: "step_request", kind: "tool" });
  const before = pool.tool("later__shifty")?.item.hash;
  await callApi("POST", "/api/mcp/servers/later/tools/change/call", { args: {} });
  await expect.poll(() => pool.tool("later__shifty")?.item.hash).not.toBe(before);
  const third = await answer(second.runId);
  expect(third.chunks.at(-2)).toMatchObject({ type: "approval_request", reason: "changed_definition" });
  expect(third.chunks.some(({ type }) => type === "tool_start")).toBe(false);
});

test("a tool that is switched off while its call waits is not run by a yes", async () => {
  const { runId } = await ask("remember that I like coffee");
  const { pending }: RunItem = await (await callApi("GET", `/api/runs/${runId}`)).json();
  const [asked] = pending;
  if (asked?.type !== "approval_request") throw new Error("It asked nothing.");
  await patch({ tools: { [asked.call.tool ?? ""]: false } });
  const answer = { requestId: asked.requestId, decision: "approve" };
  const next = await (await callApi("POST", `/api/runs/${runId}/answer`, answer)).json();
  const { chunks } = await readStream(await callApi("GET", `/api/runs/${next.runId}/stream`));
  expect(chunks.some(({ type }) => type === "tool_start")).toBe(false);
  const result = chunks.find((chunk) => chunk.type === "tool_result");
  expect(result).toMatchObject({ result: { status: expect.stringMatching(/^(error|denied)$/) } });
  await patch({ tools: { [asked.call.tool ?? ""]: true } });
});

test("a server's own secrets hold a link back", async () => {
  const { conversationId } = await ask("the password is correct-horse-battery");
  const refused = await callApi("POST", `/api/conversations/${conversationId}/shares`, {});
  expect([refused.status, (await refused.json()).error.code]).toEqual([422, "secrets_found"]);
});
