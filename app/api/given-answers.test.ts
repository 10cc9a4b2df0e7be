import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import { callApi, readStream, withApplication } from "./testing/call-api";

const dir = mkdtempSync(join(tmpdir(), "meguri-answers-"));
afterAll(() => rmSync(dir, { recursive: true }));
withApplication({
  tasks: { command: "node", args: ["lib/mcp/testing/task-server.mjs", join(dir, "tasks.json")] },
});

test("what was answered while another question is open is told, without what was entered for a server", async () => {
  await callApi("PATCH", "/api/settings", { rules: [{ pattern: "mcp:tasks:patient", effect: "allow" }] });
  const text = "/tool tasks__patient\n/tool tasks__report";
  const { runId, conversationId } = await readStream(
    await callApi("POST", "/api/chat", { message: { text } }),
  );
  const read = async (): Promise<RunItem> => (await callApi("GET", `/api/runs/${runId}`)).json();
  const { pending, answers } = await read();
  expect(answers).toBeUndefined();
  const question = pending.find(({ type }) => type === "input_request");
  const approval = pending.find(({ type }) => type === "approval_request");
  const entered = { requestId: question?.requestId, action: "accept", content: { which: "the hidden one" } };
  expect(await (await callApi("POST", `/api/runs/${runId}/answer`, entered)).json()).toEqual({
    runId: null,
    pending: 1,
  });
  const after = await read();
  expect(after.pending).toEqual([approval]);
  expect(after.answers).toMatchObject([
    { type: "answer", requestId: question?.requestId, answer: { input: { action: "accept" } } },
  ]);
  expect(JSON.stringify(after)).not.toContain("the hidden one");

  // A shared page tells neither what its owner is asked nor what they said.
  const share = await callApi("POST", `/api/conversations/${conversationId}/shares`, { dryRun: true });
  const { preview } = await share.json();
  expect(preview.runs).toMatchObject([{ id: runId, pending: [] }]);
  expect(preview.runs[0]).not.toHaveProperty("answers");

  const last = { requestId: approval?.requestId, decision: "deny" };
  const next = await (await callApi("POST", `/api/runs/${runId}/answer`, last)).json();
  const { chunks } = await readStream(await callApi("GET", `/api/runs/${next.runId}/stream`));
  // The server, which it was entered for, has it.
  expect(JSON.stringify(chunks)).toContain("the hidden one");
  expect((await read()).answers).toBeUndefined();
});
