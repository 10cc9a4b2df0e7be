import { expect, test } from "vitest";
import { messagesToTurns } from "@/lib/client/run/messages-to-turns";
import { answerText } from "@/lib/client/run/run-view";
import type { ConversationDetail } from "@/lib/protocol/http";
import { callTools, hang, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, readStream } from "./testing/call-api";
import { withFolder } from "./testing/with-folder";

const { folder, script, model } = await withFolder();
const list = { name: "filesystem__list_directory", args: { path: folder } };

const detail = async (id: string): Promise<ConversationDetail> =>
  (await callApi("GET", `/api/conversations/${id}`)).json();
const ask = async (body: object, ...turns: Step[][]) => {
  script.turns = turns;
  return readStream(await callApi("POST", "/api/chat", { model: "openai/test", ...body }));
};
const edit = (id: string, edits: string | undefined, text: string) =>
  callApi("POST", `/api/conversations/${id}/messages`, { edits, text });
const answerOf = async (id: string) => (await detail(id)).messages.at(-1);
const turnOf = async (id: string) => {
  const { messages, runs } = await detail(id);
  return messagesToTurns(messages, runs).at(-1);
};

test("edited words are a version beside the model's, marked, and what the model reads next", async () => {
  const { conversationId } = await ask({ message: { text: "Name it" } }, [say("Blue")]);
  const before = await answerOf(conversationId);
  const response = await edit(conversationId, before?.id, "  Red\n");
  expect(response.status).toBe(201);
  const { messageId } = await response.json();
  const after = await answerOf(conversationId);
  expect(after).toMatchObject({
    id: messageId,
    by: "person",
    parts: [{ type: "text", text: "Red" }],
    siblings: [before?.id, messageId],
    model: "openai/test",
  });
  await ask({ conversationId, message: { text: "Why?" } }, [say("So")]);
  expect(JSON.stringify(model.requests.at(-1))).toContain("Red");
  expect(JSON.stringify(model.requests.at(-1))).not.toContain("Blue");
  // The arrows lead back.
  await callApi("PATCH", `/api/conversations/${conversationId}`, { leafId: before?.id });
  expect(await answerOf(conversationId)).toMatchObject({ parts: [{ type: "text", text: "Blue" }] });
});

test("of an answer with calls the words after the last round are edited, and the calls come along", async () => {
  const { conversationId } = await ask(
    { message: { text: "Look" } },
    [say("First. "), callTools(list)],
    [say("Last")],
  );
  const before = await turnOf(conversationId);
  const response = await edit(conversationId, before?.answer?.messageId ?? "", "Mine");
  expect(response.status).toBe(201);
  const after = await turnOf(conversationId);
  const kinds = (turn: typeof after) =>
    turn?.answer?.view.loops.map(({ items }) => items.map(({ kind }) => kind));
  expect(kinds(after)).toEqual(kinds(before));
  expect(after?.answer && answerText(after.answer.view)).toBe("Mine");
  expect(after?.answer).toMatchObject({
    isEdited: true,
    siblings: [before?.answer?.messageId, expect.any(String)],
  });
  const again = await edit(conversationId, after?.answer?.messageId ?? "", "Mine, too");
  expect(again.status).toBe(201);
  expect((await turnOf(conversationId))?.answer?.siblings).toHaveLength(3);
});

test("a stopped answer that is edited is whole", async () => {
  script.turns = [[say("Half"), hang]];
  const response = await callApi("POST", "/api/chat", { model: "openai/test", message: { text: "Go" } });
  const runId = /"runId":"([^"]+)"/.exec(await firstEvent(response.clone()))?.[1];
  await callApi("POST", `/api/runs/${runId}/stop`, {});
  const { conversationId } = await readStream(response);
  const before = await turnOf(conversationId);
  expect(before?.answer?.view.status).toBe("stopped");
  await edit(conversationId, before?.answer?.messageId ?? "", "Whole");
  expect((await turnOf(conversationId))?.answer?.view).toMatchObject({ status: "completed", error: null });
});

async function firstEvent(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  let text = "";
  while (!text.includes("Half")) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  return text;
}

test("nothing to edit, no words and a foreign message are refused by name, and nothing is stored", async () => {
  const { conversationId } = await ask({ message: { text: "Call" }, options: { maxIterations: 1 } }, [
    callTools(list),
  ]);
  const { messages } = await detail(conversationId);
  const first = messages.find(({ role }) => role === "assistant")?.id;
  const refusal = async (id: string | undefined, text: string) => {
    const response = await edit(conversationId, id, text);
    const { error } = await response.json();
    return [response.status, error.code];
  };
  expect(messages.at(-1)?.role).toBe("tool");
  expect(await refusal(first, "x")).toEqual([422, "not_supported"]);
  expect(await refusal(first, "  ")).toEqual([400, "invalid_input"]);
  expect(await refusal("nobody", "x")).toEqual([404, "not_found"]);
  expect((await detail(conversationId)).messages).toHaveLength(messages.length);
  expect((await edit("nobody", first, "x")).status).toBe(404);
});
