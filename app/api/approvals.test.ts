import { expect, test } from "vitest";
import type { ConversationDetail, RunItem } from "@/lib/protocol/http";
import { callApi, readStream, withApplication } from "./testing/call-api";

const fixture = (...args: string[]) => ({
  command: "node",
  args: ["lib/mcp/testing/fixture-server.mjs", ...args],
});
// Of these `post__send_mail` says that it only reads.
withApplication({ plain: fixture("plain"), post: fixture("many", "1") });

const rules = (list: unknown) => callApi("PATCH", "/api/settings", { rules: list });
const errorOf = async (response: Response) => [response.status, (await response.json()).error.message];
const ask = async (text: string, more: object = {}) =>
  readStream(await callApi("POST", "/api/chat", { message: { text }, model: "demo/demo", ...more }));
const answer = async (runId: string, decision: string) => {
  const { pending }: RunItem = await (await callApi("GET", `/api/runs/${runId}`)).json();
  return callApi("POST", `/api/runs/${runId}/answer`, { requestId: pending[0]?.requestId, decision });
};
const choiceOf = async (id: string) => {
  const detail: ConversationDetail = await (await callApi("GET", `/api/conversations/${id}`)).json();
  return detail.choice;
};
const end = async (response: Response) => {
  const { runId } = await response.json();
  await readStream(await callApi("GET", `/api/runs/${runId}/stream`));
};

test("a rule holds under its condition, which is kept as it was sent; another word is refused by its place", async () => {
  const kept = [
    { pattern: "mcp:plain:*", effect: "allow" },
    { pattern: "mcp:plain:*", effect: "deny", when: "destructive" },
  ];
  expect((await (await rules(kept)).json()).rules).toEqual(kept);
  expect(await errorOf(await rules([{ ...kept[0], when: "readOnly" }]))).toEqual([
    ...[400, expect.stringContaining("rules.0.when")],
  ]);
  const { chunks } = await ask('/tool plain__wait {"ms": 1}');
  expect(chunks.find(({ type }) => type === "tool_result")).toMatchObject({
    result: {
      status: "denied",
      content: [
        { text: "The rule mcp:plain:* forbids tools that may delete or overwrite data, and this one may." },
      ],
    },
  });
  await rules([]);
});

test("everything that only reads is allowed by an answer alone, in this conversation alone, until it is taken back", async () => {
  await rules([{ pattern: "mcp:*:*", effect: "ask", when: "openWorld" }]);
  const reads = "/tool post__send_mail {}";
  const { conversationId, runId } = await ask(reads);
  const choose = (allowReads: unknown) =>
    callApi("PATCH", `/api/conversations/${conversationId}`, { choice: { allowReads } });
  expect(await errorOf(await choose(true))).toEqual([400, expect.stringContaining("approve_reads")]);
  await end(await answer(runId, "approve_reads"));
  expect(await choiceOf(conversationId)).toEqual({ model: "demo/demo", allowReads: true });
  expect((await ask(reads, { conversationId })).status).toBe("completed");

  const share = await (await callApi("POST", `/api/conversations/${conversationId}/shares`, {})).json();
  const copy = await (await callApi("POST", `/api/share/${share.token}/fork`, {})).json();
  expect(await choiceOf(copy.conversationId)).toBe(null);
  expect((await ask(reads)).status).toBe("waiting");

  expect((await choose(null)).status).toBe(200);
  expect((await ask(reads, { conversationId })).status).toBe("waiting");
  await rules([]);
});

test("a tool that may change something is not allowed as one that reads, and its question waits on", async () => {
  const { runId } = await ask('/tool plain__wait {"ms": 1}');
  expect(await errorOf(await answer(runId, "approve_reads"))).toEqual([
    ...[400, expect.stringMatching(/^decision: approve_reads answers/)],
  ]);
  await end(await answer(runId, "approve_server"));
  const { rules: kept } = await (await callApi("GET", "/api/settings")).json();
  expect(kept).toEqual([{ pattern: "mcp:plain:*", effect: "allow" }]);
  await rules([]);
});
