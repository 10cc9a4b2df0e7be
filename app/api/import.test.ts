import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { beforeEach, expect, test } from "vitest";
import type { ImportPreview, ImportResult } from "@/lib/protocol/imports";
import { getDeps } from "@/lib/server/entry/deps";
import { localUser } from "@/lib/server/ids";
import {
  chatGptConversation,
  chatGptId,
  chatGptTree,
  node,
  words,
} from "@/lib/server/transfer/testing/chatgpt-export";
import { claudeConversation, oldClaudeConversation } from "@/lib/server/transfer/testing/claude-exports";
import { libreChatFlat, libreChatTree } from "@/lib/server/transfer/testing/librechat-exports";
import { openWebUiChat, pngBytes } from "@/lib/server/transfer/testing/openwebui-export";
import { renamed, zipOf } from "@/lib/server/transfer/testing/zip";
import { callApi, readStream, withApplication } from "./testing/call-api";

withApplication({});

type Body = Parameters<typeof callApi>[2];

const send = (body: Body, query = "", headers: Record<string, string> = {}) =>
  callApi("POST", `/api/conversations/import${query}`, body, {
    "content-type": "application/octet-stream",
    ...headers,
  });

const importOf = async (body: Body): Promise<ImportResult> => (await send(body)).json();
const previewOf = async (body: Body): Promise<ImportPreview> => (await send(body, "?preview=true")).json();

async function refusal(body: Body) {
  const response = await send(body);
  const { error } = await response.json();
  return [response.status, error.code, error.message];
}

const titles = async (): Promise<string[]> =>
  (await (await callApi("GET", "/api/conversations")).json()).items.map(
    (item: { title: string }) => item.title,
  );

/** What is deleted keeps its id for a day: each test has its own. */
let first = 0;
const idOf = (number: number): string => chatGptId(first + number);
const simple = (number: number, title = `Simple ${number}`) =>
  chatGptConversation(idOf(number), title, [
    node("q", null, { role: "user", content: words("A question"), at: 1_756_000_001 }),
    node("a", "q", { role: "assistant", content: words("An answer"), at: 1_756_000_002 }),
  ]);

beforeEach(async () => {
  first += 10_000;
  for (const { id } of (await (await callApi("GET", "/api/conversations?limit=200")).json()).items)
    await callApi("DELETE", `/api/conversations/${id}`);
});

/** Nothing of a file stays behind. */
const leftOver = async (): Promise<string[]> => {
  const { env } = await getDeps();
  return readdir(join(env.DATA_DIR, "imports")).catch(() => []);
};

const archive = () =>
  zipOf([
    ["conversations.json", JSON.stringify([chatGptTree])],
    ["file-AbC123-cherries.png", pngBytes],
    ["file-Plot7-plot.png", pngBytes],
    ["dalle-generations/file_0000Dall-made.png", pngBytes],
    ["user.json", "{}"],
    ["chat.html", "<html></html>"],
  ]);

test("an archive of ChatGPT is previewed, imported with its branches and images, and gone on with", async () => {
  const zip = await archive();
  expect(await previewOf(zip)).toEqual({
    sources: [
      {
        ...{ source: "chatgpt", conversations: 1, messages: 12, branches: 1, files: 4 },
        ...{ alreadyHere: 0, extended: 0, leftAlone: 0 },
        ...{ from: "2025-08-24T01:46:40.123Z", to: "2025-08-24T01:53:20.500Z" },
        leftOut: [
          { what: "hidden_message", count: 2 },
          { what: "other_file", count: 2 },
        ],
      },
    ],
  });
  expect(await titles()).toEqual([]);
  const result = await importOf(zip);
  expect(result).toMatchObject({ imported: 1, skipped: [], conversationIds: [chatGptTree.id] });
  expect(result.leftOut).toContainEqual({ what: "missing_file", count: 1 });
  const read = await (await callApi("GET", `/api/conversations/${chatGptTree.id}`)).json();
  expect(read.messages[0]).toMatchObject({ id: "q1b", siblings: ["q1", "q1b"] });
  const [photo, , pdf] = read.messages[0].parts;
  expect(photo).toMatchObject({
    type: "file",
    mediaType: "image/png",
    name: "cherries.png",
    size: pngBytes.length,
  });
  expect(pdf).toEqual({ type: "text", text: "[orchard.pdf]" });
  const bytes = await callApi("GET", `/api/attachments/${photo.attachmentId}`);
  expect(Buffer.from(await bytes.arrayBuffer())).toEqual(pngBytes);
  const asked = await callApi("POST", "/api/chat", {
    conversationId: chatGptTree.id,
    message: { text: "count to 2" },
  });
  expect((await readStream(asked)).status).toBe("completed");
  await expect.poll(leftOver).toEqual([]);
});

test("the same file twice imports nothing twice; what was continued here is left alone and named", async () => {
  const file = JSON.stringify([simple(1), simple(2)]);
  expect(await importOf(file)).toMatchObject({ imported: 2, skippedCount: 0 });
  await readStream(
    await callApi("POST", "/api/chat", { conversationId: idOf(2), message: { text: "count to 2" } }),
  );
  expect(await previewOf(file)).toMatchObject({
    sources: [{ conversations: 2, alreadyHere: 1, leftAlone: 1 }],
  });
  expect(await importOf(file)).toMatchObject({
    imported: 0,
    conversationIds: [],
    skipped: [
      { title: "Simple 1", code: "already_here", reason: "It is here already." },
      { title: "Simple 2", code: "continued_since" },
    ],
  });
});

test.each([
  ["claude", [claudeConversation, oldClaudeConversation], 2],
  ["librechat", libreChatTree, 1],
  ["librechat", libreChatFlat, 1],
  ["openwebui", [openWebUiChat], 1],
])("conversations of %s are taken over and a model goes on with them", async (source, value, count) => {
  const body = JSON.stringify(value);
  expect(await previewOf(body)).toMatchObject({ sources: [{ source, conversations: count }] });
  const { conversationIds } = await importOf(body);
  expect(conversationIds).toHaveLength(count);
  const [conversationId] = conversationIds;
  const asked = await callApi("POST", "/api/chat", { conversationId, message: { text: "count to 2" } });
  expect((await readStream(asked)).status).toBe("completed");
  expect(await importOf(body)).toMatchObject({
    imported: 0,
    skipped: expect.arrayContaining([
      { title: expect.any(String), code: "continued_since", reason: expect.any(String) },
    ]),
  });
});

test("with events it says how far it is, and a fault comes as one too", async () => {
  const events = async (body: Body) => {
    const text = await (await send(body, "", { accept: "text/event-stream" })).text();
    return [...text.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data = ""]) => [
      event,
      JSON.parse(data),
    ]);
  };
  const list = JSON.stringify([simple(1), simple(2)]);
  const told = await events(list);
  expect(told.at(0)).toEqual(["progress", { done: 1, total: 2, title: "Simple 1" }]);
  expect(told.at(-1)).toMatchObject(["result", { imported: 2 }]);
  expect(await events(list.slice(0, -20))).toMatchObject([
    ["progress", { done: 1, total: 1 }],
    ["error", { error: { code: "broken_json", details: { after: 1, title: "Simple 2" } } }],
  ]);
  await expect.poll(leftOver).toEqual([]);
});

test("of a JSON that is cut what came before stays, and the answer says where it is cut", async () => {
  const json = JSON.stringify([simple(1), simple(2), simple(3)]);
  const [status, code, message] = await refusal(json.slice(0, -400));
  expect([status, code]).toEqual([400, "broken_json"]);
  expect(message).toBe(
    "The file ends in the middle of conversation 3 (Simple 3). Download the export again; what came before stays imported.",
  );
  expect(await titles()).toEqual(expect.arrayContaining(["Simple 1", "Simple 2"]));
});

test("a request that ends cancels, whole conversations stay, and the next import may begin", async () => {
  const many = JSON.stringify(Array.from({ length: 100 }, (_, at) => simple(at)));
  const response = await send(many, "", { accept: "text/event-stream" });
  const reader = response.body?.getReader();
  for (let told = ""; !told.includes("progress"); ) {
    const piece = await reader?.read();
    told += new TextDecoder().decode(piece?.value);
  }
  expect((await send("[]")).status).toBe(409);
  await reader?.cancel();
  await expect.poll(leftOver).toEqual([]);
  const { store } = await getDeps();
  const { items: all } = await store.conversations.list(localUser, { limit: 200 });
  const items = all.filter(({ title }) => title.startsWith("Simple"));
  expect(items.length).toBeGreaterThan(0);
  for (const { id } of items) expect((await store.messages.branch(id, "a")).rows).toHaveLength(2);
  const again = await send(JSON.stringify([simple(1_000)]));
  expect(again.status).toBe(200);
  await again.text();
});

test.each([
  ["nothing", ""],
  ["a text", "hello"],
  ["another list", "[1, 2]"],
  ["another object", '{"a": 1}'],
  ["an empty list", "[]"],
])("%s is refused with the next step", async (_, body) => {
  const [status, code] = await refusal(body);
  expect([status, code]).toEqual([400, body === "" ? "invalid_input" : "unknown_format"]);
});

test("what is announced with more than 2 GB is refused before it is read", async () => {
  const response = await send("[]", "", { "content-length": String(2 * 1024 ** 3 + 1) });
  expect(response.status).toBe(413);
  expect((await response.json()).error.message).toMatch(/at most 2 GB/);
  await expect.poll(leftOver).toEqual([]);
});

test("a file of more than 200 MB is read to its end, whether its length is announced or not", async () => {
  const megabyte = new TextEncoder().encode(" ".repeat(1024 * 1024));
  const begin = Buffer.from("[");
  for (const [number, announced] of [false, true].entries()) {
    const end = Buffer.from(`${JSON.stringify(simple(number))}]`);
    function* pieces() {
      yield begin;
      for (let count = 0; count < 201; count++) yield megabyte;
      yield end;
    }
    const length = String(begin.length + 201 * megabyte.length + end.length);
    const response = await send(
      Readable.toWeb(Readable.from(pieces())) as ReadableStream,
      "",
      announced ? { "content-length": length } : {},
    );
    expect(await response.json()).toMatchObject({ imported: 1 });
  }
});

test("a conversation that is broken, empty or a circle stops no other", async () => {
  const circle = chatGptConversation(idOf(7), "Circle", [
    node("x", "y", { role: "user", content: words("x") }),
    node("y", "x", { role: "assistant", content: words("y") }),
  ]);
  const text = `[${JSON.stringify(simple(1))}, {"title": "Torn", "mapping": {"a" 1}}, ${JSON.stringify({ ...simple(2), title: "Bare", mapping: {} })},
    {"title": "Other"}, ${JSON.stringify(circle)}, {"title": "Proto", "__proto__": {"polluted": true}, "mapping": {"__proto__": {"message": {"author": {"role": "user"}, "content": {"parts": ["hi"]}}}}}]`;
  const result = await importOf(text);
  expect(result).toMatchObject({
    imported: 3,
    skipped: [
      { title: "Torn", code: "broken" },
      { title: "Bare", code: "empty" },
      { title: "Other", code: "broken" },
    ],
  });
  expect({}).not.toHaveProperty("polluted");
  expect((await titles()).toSorted()).toEqual(["Circle", "Proto", "Simple 1"]);
});

test("a title of 100,000 characters is cut, invisible ones go, and none at all becomes the first words", async () => {
  const long = simple(1, `\u202e${"長".repeat(100_000)}`);
  await importOf(JSON.stringify([long, simple(2, "  ")]));
  expect((await titles()).toSorted()).toEqual(["A question", "長".repeat(200)]);
});

test("names of an archive lead nowhere: one that leaves it, a link and an archive inside are left out", async () => {
  const inner = await zipOf([["conversations.json", JSON.stringify([simple(9)])]]);
  const zip = await zipOf([
    ["conversations.json", JSON.stringify([simple(1)])],
    ["xx/file-AbC123.png", pngBytes],
    ["link.json", "/etc/passwd", 0o120777],
    ["inner.zip", inner],
    ["写真.png", pngBytes],
  ]);
  const result = await importOf(renamed(zip, "xx/file", "../file"));
  expect(result).toMatchObject({ imported: 1, leftOut: [{ what: "unsafe_name", count: 2 }] });
});

test("a large export in parts is read from all of them, in folders too", async () => {
  const zip = await zipOf([
    ["export/conversations-000.json", JSON.stringify([simple(1)])],
    ["export/conversations-001.json", JSON.stringify([simple(2), simple(1)])],
    ["export/projects.json", "[]"],
  ]);
  expect(await importOf(zip)).toMatchObject({
    imported: 2,
    skipped: [{ code: "already_here" }],
    leftOut: [{ what: "other_file", count: 1 }],
  });
});

test("a bomb, a protected and a damaged archive are refused by name", async () => {
  const bomb = await zipOf([["conversations.json", Buffer.alloc(64 * 1024 * 1024, " ")]]);
  expect((await refusal(bomb)).slice(0, 2)).toEqual([413, "archive_too_large"]);
  const whole = await zipOf([["conversations.json", JSON.stringify([simple(1)])]]);
  const locked = Buffer.from(whole);
  // The flag stands in the entry and in the directory.
  for (const sign of ["PK\x03\x04", "PK\x01\x02"]) {
    const at = locked.indexOf(sign, 0, "latin1") + (sign.endsWith("\x04") ? 6 : 8);
    locked[at] = (locked[at] ?? 0) | 1;
  }
  expect((await refusal(locked)).slice(0, 2)).toEqual([400, "protected_archive"]);
  expect((await refusal(whole.subarray(0, -30))).slice(0, 2)).toEqual([400, "broken_archive"]);
  const torn = Buffer.from(whole);
  torn.fill(0xff, 60, 160);
  expect((await refusal(torn)).slice(0, 2)).toEqual([400, "broken_archive"]);
  expect((await refusal(await zipOf([["a.txt", "x"]]))).slice(0, 2)).toEqual([400, "unknown_format"]);
});

test("a wrong query names the field", async () => {
  const response = await send("[]", "?preview=maybe");
  expect((await response.json()).error.message).toMatch(/^preview: /);
});
