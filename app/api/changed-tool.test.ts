import { expect, test } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import { getDeps } from "@/lib/server/deps";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({
  memory: {
    command: "node",
    args: ["node_modules/@modelcontextprotocol/server-memory/dist/index.js"],
    env: { SERVICE_PASSWORD: "correct-horse-battery" },
  },
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

test("the question says which definition it is about", async () => {
  const { runId } = await ask("remember that I like tea");
  const { pending }: RunItem = await (await callApi("GET", `/api/runs/${runId}`)).json();
  const { pool } = await getDeps();
  const [asked] = pending;
  if (asked?.type !== "approval_request") throw new Error("It asked nothing.");
  expect(asked.call.definition).toBe(pool.tool(asked.call.name)?.item.hash);
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
