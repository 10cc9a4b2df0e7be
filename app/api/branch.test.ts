import { expect, test } from "vitest";
import type { ConversationDetail } from "@/lib/protocol/http";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({});

const send = async (body: object) =>
  readStream(await callApi("POST", "/api/chat", { model: "demo/demo", ...body }));
const read = async (id: string, query = ""): Promise<ConversationDetail> =>
  (await callApi("GET", `/api/conversations/${id}${query}`)).json();

test("a message of another branch brings that branch, and the current one stays what it is", async () => {
  const { conversationId: id } = await send({ message: { text: "count to 1" } });
  await send({ conversationId: id, message: { text: "count to 2" } });
  const first = await read(id);
  const [question, , second] = first.messages;
  await send({ conversationId: id, parentId: null, message: { text: "count to 1 again" } });
  const other = await read(id);
  expect(other.messages).toHaveLength(2);

  const found = await read(id, `?branch=${question?.id}`);
  expect(found.messages.map((message) => message.id)).toEqual(first.messages.map((message) => message.id));
  expect(found.branchLeafId).toBe(first.leafId);
  expect(found.leafId).toBe(other.leafId);
  expect(await read(id)).toEqual(other);

  const page = await read(id, `?branch=${question?.id}&before=${second?.id}&limit=1`);
  expect(page).toMatchObject({ hasMore: true, messages: [{ id: first.messages[1]?.id }] });
});

test("a message of the current branch brings it up to its end, whatever is newer elsewhere", async () => {
  const { conversationId: id } = await send({ message: { text: "count to 1" } });
  await send({ conversationId: id, message: { text: "count to 2" } });
  const [question, answer, second] = (await read(id)).messages;
  await send({ conversationId: id, parentId: answer?.id, message: { text: "count to 3" } });
  await callApi("PATCH", `/api/conversations/${id}`, { leafId: second?.id });
  const shown = await read(id);
  const found = await read(id, `?branch=${question?.id}`);
  expect(found).toEqual(shown);
  expect(found.branchLeafId).toBeUndefined();
});

test("a message that is not there is told apart from a conversation that is not there", async () => {
  const { conversationId: id } = await send({ message: { text: "count to 1" } });
  const gone = await callApi("GET", `/api/conversations/${id}?branch=nowhere`);
  expect(gone.status).toBe(404);
  expect((await gone.json()).error).toMatchObject({
    code: "no_such_message",
    message: expect.stringMatching(/^branch: /),
  });
  const missing = await callApi("GET", "/api/conversations/nowhere?branch=nowhere");
  expect((await missing.json()).error.code).toBe("not_found");
});
