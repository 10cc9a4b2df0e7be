import { afterAll, beforeEach, expect, test } from "vitest";
import type { ConversationDetail } from "@/lib/protocol/http";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import type { WireRequest } from "@/lib/providers/testing/wire-request";
import { callApi, readStream, withApplication } from "./testing/call-api";

let isMended = false;
beforeEach(() => {
  isMended = false;
});
const model = await startOpenAiServer(({ lastUserText }: WireRequest) =>
  lastUserText.startsWith("fail") && !isMended
    ? [{ type: "fail", status: 400, message: `No ${lastUserText} today.` }]
    : [say("Here.")],
);
afterAll(() => model.close());
withApplication({}, { OPENAI_BASE_URL: model.url });

const send = async (body: object) =>
  readStream(await callApi("POST", "/api/chat", { model: "openai/test", ...body }));
const ask = (text: string, conversationId?: string) =>
  send({ message: { text }, ...(conversationId && { conversationId }) });
const detail = async (id: string): Promise<ConversationDetail> =>
  (await callApi("GET", `/api/conversations/${id}`)).json();

test("an answer that failed without a word stays with its question when the next one is asked", async () => {
  const first = await ask("fail one");
  const { conversationId } = first;
  const second = await ask("fail two", conversationId);
  const third = await ask("work", conversationId);
  const { messages, runs } = await detail(conversationId);
  expect(messages.map(({ role }) => role)).toEqual(["user", "user", "user", "assistant"]);
  const known = runs.map(({ id, messageId, status, error }) => [id, messageId, status, error?.message]);
  expect(known).toEqual([
    [first.runId, messages[0]?.id, "failed", expect.stringContaining("No fail one today.")],
    [second.runId, messages[1]?.id, "failed", expect.stringContaining("No fail two today.")],
    [third.runId, messages[2]?.id, "completed", undefined],
  ]);

  // Asked again in a branch of its own, where it fails once more: here it is the newest that is told.
  const again = await send({ conversationId, regenerate: messages[0]?.id });
  const branch = await detail(conversationId);
  expect(branch.runs.map(({ id }) => id)).toContain(again.runId);
  await callApi("PATCH", `/api/conversations/${conversationId}`, { leafId: messages[3]?.id });
  const back = await detail(conversationId);
  expect(back.runs.map(({ id }) => id).sort()).toEqual([again.runId, second.runId, third.runId].sort());
});

test("an answer that came in another branch is not told in the one where it failed", async () => {
  const first = await ask("fail first");
  const { conversationId } = first;
  await ask("work", conversationId);
  const [question, , answer] = (await detail(conversationId)).messages;
  isMended = true;
  const again = await send({ conversationId, regenerate: question?.id });
  expect((await detail(conversationId)).runs.map(({ id }) => id)).toEqual([again.runId]);
  await callApi("PATCH", `/api/conversations/${conversationId}`, { leafId: answer?.id });
  const { runs } = await detail(conversationId);
  expect(runs.map(({ status }) => status)).toEqual(["failed", "completed"]);
  expect(runs[0]?.id).toBe(first.runId);
});
