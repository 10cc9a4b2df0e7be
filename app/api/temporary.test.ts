import { afterAll, expect, test } from "vitest";
import { isTemporaryId } from "@/lib/protocol/temporary";
import { noisyPng, pdfOf } from "@/lib/providers/testing/files";
import { startOpenAiServer } from "@/lib/providers/testing/openai-server";
import { say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { storedWith } from "@/lib/server/testing/stored-files";
import { callApi, readStream, withApplication } from "./testing/call-api";
import { ask, begin, call, codeOf, upload } from "./testing/temporary";

const secret = "words-that-reach-no-disk";
let asked = 0;
const model = await startOpenAiServer(({ lastUserText }) => {
  asked++;
  return [say(`I heard ${lastUserText}.`)];
});
afterAll(() => model.close());
const fixture = ["lib/mcp/testing/fixture-server.mjs", "plain"];
withApplication({ plain: { command: "node", args: fixture } }, { OPENAI_BASE_URL: model.url });

test("a whole chat with a file, a call, an approval, an edit and a second question reaches no file", async () => {
  const file = await (await upload(`${secret} in a file`, `${secret}.txt`)).json();
  expect(isTemporaryId(file.id)).toBe(true);
  asked = 0;
  await (await getDeps()).store.settings.set("local", "titles", "model");
  const first = await begin(secret, { message: { text: secret, attachments: [{ id: file.id }] } });
  await (await getDeps()).store.settings.set("local", "titles", "words");
  expect([first.status, isTemporaryId(first.conversationId), isTemporaryId(first.runId)]).toEqual([
    ...["completed", true, true],
  ]);
  const { conversationId } = first;
  const waiting = await ask(`/tool plain__echo {"text":"${secret}"}`, { conversationId, model: "demo/demo" });
  expect(waiting.status).toBe("waiting");
  const question = waiting.chunks.find((chunk) => chunk.type === "approval_request");
  const answered = await call("POST", `/api/runs/${waiting.runId}/answer`, {
    ...{ requestId: question?.requestId, decision: "approve" },
  });
  const went = await readStream(await callApi("GET", `/api/runs/${answered.body.runId}/stream`));
  expect(went.status).toBe("completed");
  expect(JSON.stringify(went.chunks)).toContain(secret);
  await ask(`${secret} again`, { conversationId, parentId: null });

  const detail = await call("GET", `/api/conversations/${conversationId}`);
  expect(detail.body).toMatchObject({ id: conversationId, temporary: true });
  expect(detail.body.messages[0].siblings).toHaveLength(2);
  const again = await readStream(
    await callApi("GET", `/api/runs/${first.runId}/stream`, undefined, { "last-event-id": "1" }),
  );
  expect(again.chunks).toEqual(first.chunks.slice(1));
  const sent = await callApi("GET", `/api/attachments/${file.id}`);
  expect([await sent.text(), sent.headers.get("cache-control")]).toEqual([`${secret} in a file`, "no-store"]);
  // One for each question, and none for a title.
  expect(asked).toBe(2);

  await (await getDeps()).store.probe();
  expect(await storedWith(secret)).toEqual([]);
  expect(await storedWith(conversationId)).toEqual([]);
  // The same words in a chat that is kept are found, so that the look itself is not blind.
  await ask(`${secret} that is kept`);
  expect(await storedWith(secret)).not.toEqual([]);
});

test("it is in no list and no search, and what only kept ones have is refused with the next step", async () => {
  const { conversationId: id, runId } = await begin("rare-word-of-this-test");
  const listed = await call("GET", "/api/conversations?limit=200");
  expect(JSON.stringify(listed.body)).not.toContain(id);
  expect((await call("GET", "/api/search?q=rare-word-of-this-test")).body.items).toEqual([]);
  const found = await call("GET", `/api/search?q=rare-word-of-this-test&conversation=${id}`);
  expect(found.body.items).toHaveLength(2);
  for (const [method, path, body] of [
    ["POST", `/api/conversations/${id}/shares`, { redact: true }],
    ["POST", `/api/conversations/${id}/shares/file`, { redact: true }],
    ["GET", `/api/conversations/${id}/export`],
    ["GET", `/api/runs/${runId}/events`],
    ["GET", `/api/export?ids=${id}`],
    ["PATCH", `/api/conversations/${id}`, { archived: true }],
    ["PATCH", `/api/conversations/${id}`, { pinned: true }],
    ["PATCH", `/api/conversations/${id}`, { projectId: null }],
    ["POST", "/api/conversations/batch", { ids: [id], action: "delete" }],
    ["POST", "/api/chat", { message: { text: "x" }, temporary: true, projectId: "p" }],
  ] as const)
    expect([path, ...(await codeOf(method, path, body))]).toEqual([path, 409, "temporary"]);
  const kept = await ask("Kept");
  expect(
    await codeOf("POST", "/api/chat", {
      message: { text: "x" },
      temporary: true,
      conversationId: kept.conversationId,
    }),
  ).toEqual([409, "temporary"]);
  expect((await call("PATCH", `/api/conversations/${id}`, { title: "Mine" })).body.title).toBe("Mine");
});

test("a file of one kind of chat cannot be used in the other", async () => {
  const file = await (await upload("abc", "a.txt")).json();
  const attachments = [{ id: file.id }];
  expect(await codeOf("POST", "/api/chat", { message: { text: "x", attachments } })).toEqual([
    404,
    "not_found",
  ]);
  const headers = { "content-type": "text/plain", "x-filename": "a.txt" };
  const stored = await (await callApi("POST", "/api/attachments", "abc", headers)).json();
  const message = { text: "x", attachments: [{ id: stored.id }] };
  expect(await codeOf("POST", "/api/chat", { message, temporary: true })).toEqual([404, "not_found"]);
  const bad = await callApi("POST", "/api/attachments", "abc", { ...headers, "x-temporary": "1" });
  expect(bad.status).toBe(400);
});

test("a PDF and an image are read without a file", async () => {
  const pdf = await upload(new Uint8Array(pdfOf(secret)), "a.pdf", "application/pdf");
  const { id } = await pdf.json();
  expect(await (await callApi("GET", `/api/attachments/${id}?as=text`)).text()).toContain(secret);
  const png = await upload(new Uint8Array(noisyPng(4)), "a.png", "image/png");
  expect((await png.json()).mimeType).toBe("image/png");
});
