import { afterAll, expect, test } from "vitest";
import type { RunItem } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { callTools, hang, say } from "@/lib/providers/testing/steps";
import { restorableMs } from "@/lib/server/conversations/delete-conversation";
import { purgeDeleted } from "@/lib/server/conversations/purge";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream, withApplication } from "./testing/call-api";

const write = (path: string) => ({ name: "filesystem__write_file", args: { path, content: "x" } });
const model = await startOpenAiServer(({ lastUserText, toolResults }) =>
  lastUserText === "Write two files" && toolResults.length === 0
    ? [callTools(write("stop-1.md"), write("stop-2.md"))]
    : [say("Thinking "), hang],
);
/** The next request that the model gets. */
const nextRequest = () => model.request(model.requests.length);
afterAll(() => model.close());

withApplication(
  {
    filesystem: {
      command: "node",
      args: ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "sandbox"],
    },
  },
  { OPENAI_BASE_URL: model.url },
);

const send = (text: string) =>
  callApi("POST", "/api/chat", { message: { text }, model: "openai/test-model" });
const stop = (runId: string) => callApi("POST", `/api/runs/${runId}/stop`, {});
const run = async (id: string): Promise<RunItem> => (await callApi("GET", `/api/runs/${id}`)).json();

test("stop ends a run whose model says nothing more, keeps its text and ends its request", async () => {
  const asked = nextRequest();
  const response = await send("Hang on");
  const runId = response.headers.get("x-run-id") ?? "";
  const request = await asked;
  const read = readStream(response);
  const { log } = (await getDeps()).store;
  await expect
    .poll(async () => (await log.read(runId, 0, 10)).map(({ data }) => data.type))
    .toContain("text");
  expect(await (await stop(runId)).json()).toMatchObject({ status: "stopped", stopReason: "aborted" });
  expect(await request.ended).toBe("client gone");
  const { status, chunks } = await read;
  expect(status).toBe("stopped");
  expect(chunks.filter(({ type }) => type === "result")).toMatchObject([
    { result: { finalText: "Thinking ", stopReason: "aborted" } },
  ]);
});

test("stopping a run by its old id stops the one that goes on from it", async () => {
  const waiting = await readStream(await send("Write two files"));
  const { pending } = await run(waiting.runId);
  expect(pending).toHaveLength(2);
  const decide = (requestId?: string) =>
    callApi("POST", `/api/runs/${waiting.runId}/answer`, { requestId, decision: "deny" });
  expect(await (await decide(pending[0]?.requestId)).json()).toEqual({ runId: null, pending: 1 });
  const goesOn = nextRequest();
  const answered = await decide(pending[1]?.requestId);
  expect(answered.status).toBe(200);
  const { runId } = await answered.json();
  await goesOn;
  expect((await run(runId)).status).toBe("running");
  expect((await stop(waiting.runId)).status).toBe(200);
  expect((await run(runId)).status).toBe("stopped");
  const { activeRunId } = await (await callApi("GET", `/api/conversations/${waiting.conversationId}`)).json();
  expect(activeRunId).toBeNull();
});

test("deleting a conversation while its answer is written stops the run, and after a day nothing of it is left", async () => {
  const asked = nextRequest();
  const response = await send("Write for ever");
  const runId = response.headers.get("x-run-id") ?? "";
  const { conversationId } = await run(runId);
  const request = await asked;
  expect((await callApi("DELETE", `/api/conversations/${conversationId}`)).status).toBe(200);
  expect(await request.ended).toBe("client gone");
  expect((await readStream(response)).status).toBe("stopped");
  const left = [`/api/conversations/${conversationId}`, `/api/runs/${runId}`].map(
    async (path) => (await callApi("GET", path)).status,
  );
  expect(await Promise.all(left)).toEqual([404, 404]);
  const deps = await getDeps();
  const ended = await deps.store.log.lastSeq(runId);
  const purge = (now: number) => purgeDeleted(deps, { isClosed: () => false, now });
  expect(await purge(Date.now())).toBe(0);
  expect(await deps.store.log.lastSeq(runId)).toBe(ended);
  expect(await purge(Date.now() + restorableMs)).toBe(1);
  expect(await deps.store.log.lastSeq(runId)).toBe(0);
});
