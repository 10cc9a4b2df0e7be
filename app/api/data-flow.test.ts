import { afterAll, beforeEach, expect, test } from "vitest";
import type { ApprovalRequest, Chunk } from "@/lib/protocol/chunk";
import type { RunItem } from "@/lib/protocol/http";
import type { ToolRule } from "@/lib/protocol/settings";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, say } from "@/lib/providers/testing/steps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const secret = "Salaries 2026: Abe 91,000, Berta 87,500, Carl 64,000";
/** What the model sends to the second server once it has read the first one. */
let sent: Record<string, unknown>[] = [];
const model = await startOpenAiServer(({ toolResults }) => {
  if (toolResults.length === 0) return [callTools({ name: "notes__echo", args: { text: secret } })];
  if (toolResults.length === 1) return [callTools(...sent.map((args) => ({ name: "mail__echo", args })))];
  return [say("Sent.")];
});
afterAll(() => model.close());

const plain = { command: "node", args: ["lib/mcp/testing/fixture-server.mjs", "plain"] };
withApplication({ notes: plain, mail: plain, spare: plain }, { OPENAI_BASE_URL: model.url });

const every: ToolRule = { pattern: "mcp:*:*", effect: "allow" };
const setRules = (rules: ToolRule[]) => callApi("PATCH", "/api/settings", { rules });
const readRules = async (): Promise<ToolRule[]> =>
  (await (await callApi("GET", "/api/settings")).json()).rules;
const chat = async (text = "Tell them.") =>
  readStream(await callApi("POST", "/api/chat", { message: { text }, model: "openai/test-model" }));
const runOf = async (id: string): Promise<RunItem> => (await callApi("GET", `/api/runs/${id}`)).json();
const flow = {
  ...{ server: "notes", tool: "echo", argument: "text" },
  ...{ characters: secret.length, excerpt: secret },
};

async function answer(runId: string, decision: string) {
  const { pending } = await runOf(runId);
  const response = await callApi("POST", `/api/runs/${runId}/answer`, {
    ...{ requestId: pending[0]?.requestId, decision },
  });
  const next: { runId: string } = await response.json();
  return readStream(await callApi("GET", `/api/runs/${next.runId}/stream`));
}

const requestsIn = (chunks: readonly Chunk[]) =>
  chunks.filter((chunk): chunk is ApprovalRequest => chunk.type === "approval_request");
const sentIn = (chunks: readonly Chunk[]) =>
  chunks.flatMap((chunk) => (chunk.type === "tool_start" && chunk.flows ? [chunk.flows] : []));

beforeEach(async () => {
  sent = [{ text: secret }];
  await setRules([every]);
});

test("what goes from one server to another is asked about although the tool is allowed, once, and the log tells it", async () => {
  const first = await chat();
  expect(first.status).toBe("waiting");
  expect(requestsIn(first.chunks)).toMatchObject([
    { reason: "data_flow", call: { name: "mail__echo" }, flows: [flow] },
  ]);
  const next = await answer(first.runId, "approve");
  expect(next.status).toBe("completed");
  expect(sentIn(next.chunks)).toEqual([[flow]]);
  expect((await runOf(next.runId)).answeredCalls).toMatchObject([{ status: "ok", flows: [flow] }]);
  expect(await readRules()).toEqual([every]);
});

test("a no keeps it here", async () => {
  const { runId } = await chat();
  const { chunks } = await answer(runId, "deny");
  expect(sentIn(chunks)).toEqual([]);
  expect(chunks.find(({ type }) => type === "tool_result")).toMatchObject({ result: { status: "denied" } });
});

test("always is a rule about these two servers, settles the other open questions, and marks what goes from then on", async () => {
  sent = [{ text: secret }, { text: `Once more: ${secret}` }];
  const { runId, chunks } = await chat();
  expect(requestsIn(chunks)).toHaveLength(2);
  const next = await answer(runId, "approve_always");
  expect(sentIn(next.chunks)).toHaveLength(2);
  expect(await readRules()).toEqual([every, { pattern: "mcp:mail:*", effect: "allow", from: "notes" }]);
  const again = await chat();
  expect(again.status).toBe("completed");
  expect(requestsIn(again.chunks)).toEqual([]);
  expect(sentIn(again.chunks)).toHaveLength(2);
});

test("a rule that forbids it refuses the call, and the model reads why", async () => {
  await setRules([every, { pattern: "mcp:*:*", effect: "deny", from: "notes" }]);
  const { status, chunks } = await chat();
  expect(status).toBe("completed");
  expect(chunks.findLast(({ type }) => type === "tool_result")).toMatchObject({
    result: {
      status: "denied",
      content: [{ text: "A rule forbids this tool to get what notes has returned." }],
    },
  });
});

test("what the person has said goes without a question", async () => {
  expect((await chat(`Tell them: ${secret}`)).status).toBe("completed");
});

test("a whole server that is allowed is no yes to what goes to it", async () => {
  await setRules([{ pattern: "mcp:notes:*", effect: "allow" }]);
  sent = [{ text: secret }, { text: secret.toUpperCase() }];
  const { runId, chunks } = await chat();
  const asked = requestsIn(chunks);
  expect(asked.map(({ reason }) => reason)).toEqual(["rule", "rule"]);
  const [harmless] = asked.filter(({ flows }) => flows === undefined);
  expect(asked.flatMap(({ flows }) => flows ?? [])).toEqual([flow]);
  const response = await callApi("POST", `/api/runs/${runId}/answer`, {
    ...{ requestId: harmless?.requestId, decision: "approve_server" },
  });
  expect(await response.json()).toEqual({ runId: null, pending: 1 });
});

test("a plan in a rule about what a server has returned is refused by its place", async () => {
  const response = await setRules([{ pattern: "mcp:mail:*", effect: "plan", from: "notes" }]);
  expect([response.status, (await response.json()).error.message]).toEqual([
    ...[400, "rules.0.effect: must be allow, ask or deny in a rule with from: a plan is about calls."],
  ]);
});

test("the rules about a server end with it", async () => {
  await setRules([every, { pattern: "mcp:mail:*", effect: "allow", from: "spare" }]);
  expect((await callApi("DELETE", "/api/mcp/servers/spare")).status).toBeLessThan(300);
  expect(await readRules()).toEqual([every]);
});
