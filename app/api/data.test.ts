import { randomBytes } from "node:crypto";
import { beforeEach, expect, test } from "vitest";
import type { DataUsage } from "@/lib/protocol/data";
import { getDeps } from "@/lib/server/entry/deps";
import { newConversation, newMessage } from "@/lib/server/new-rows";
import { callApi, withApplication } from "./testing/call-api";

withApplication({});

const dayMs = 86_400_000;

beforeEach(async () => {
  await retain({});
  const { conversations } = (await getDeps()).store;
  const deleted = await conversations.hidden({ until: Date.now(), limit: 200 });
  for (const id of [...(await ids()), ...deleted]) await conversations.delete(id);
});

/** A conversation of about `size` bytes that was last changed this many days ago. */
async function add(
  id: string,
  daysAgo: number,
  size = 1_000,
  patch: { pinned?: boolean } = {},
): Promise<void> {
  const { store } = await getDeps();
  const at = Date.now() - daysAgo * dayMs;
  await store.conversations.create({ ...newConversation("local", {}), id, updatedAt: at, createdAt: at });
  await store.messages.append(id, [
    {
      ...newMessage(
        { conversationId: id, parentId: null },
        { role: "user", parts: [{ type: "text", text: textOf(size) }] },
      ),
      createdAt: at,
    },
  ]);
  await store.conversations.update(id, { updatedAt: at, ...patch });
}

/** PostgreSQL packs long texts where that makes them smaller. */
const textOf = (size: number) => randomBytes(Math.ceil((size * 3) / 4)).toString("base64");

const ids = async () => {
  const { items } = await (await callApi("GET", "/api/conversations?limit=200")).json();
  return items.map(({ id }: { id: string }) => id).toSorted();
};

const usage = async (query = ""): Promise<DataUsage> =>
  (await callApi("GET", `/api/data/usage${query}`)).json();

/** Changes the setting and waits until what it asks for is done. */
async function retain(retention: object): Promise<void> {
  expect((await callApi("PATCH", "/api/settings", { retention })).status).toBe(200);
  await (await getDeps()).retention.wake();
}

test("what takes space is told by kind, attached files with it", async () => {
  const before = await usage();
  expect(before.total).toBe(Object.values(before.kinds).reduce((sum, bytes) => sum + bytes, 0));
  const isHere = (await getDeps()).store.blobs === undefined;
  // What the disk of a database server has room for is not known.
  expect((before.free ?? 0) > 0).toBe(isHere);
  const { storedIn } = await (await callApi("GET", "/api/settings")).json();
  expect(storedIn).toBe(isHere ? "folder" : "database");
  expect(before.wouldDelete).toBeUndefined();
  const upload = await callApi("POST", "/api/attachments", "a".repeat(50_000), {
    "x-filename": "a.txt",
    "content-type": "text/plain",
  });
  expect(upload.status).toBe(201);
  expect((await usage()).kinds.attachments - before.kinds.attachments).toBeGreaterThan(50_000);
});

test.each([
  ["days=0", "days"],
  ["days=x", "days"],
  ["bytes=5", "bytes"],
  ["for=ever", "for"],
])("%s names the field", async (query, field) => {
  const answer = await callApi("GET", `/api/data/usage?${query}`);
  expect(answer.status).toBe(400);
  expect((await answer.json()).error.message).toMatch(new RegExp(`^${field}: `));
});

test("a retention that is wrong is refused and changes nothing", async () => {
  for (const retention of [{ days: 0 }, { days: 1.5 }, { bytes: 1_000 }, { weeks: 2 }, null])
    expect((await callApi("PATCH", "/api/settings", { retention })).status).toBe(400);
  expect((await (await callApi("GET", "/api/settings")).json()).retention).toEqual({});
});

test("what is too old goes, as it was foretold, and nothing that is pinned, shared or waits", async () => {
  await add("old", 40);
  await add("older", 50);
  await add("new", 2);
  await add("pinned", 60, 1_000, { pinned: true });
  await add("shared", 60);
  const made = await callApi("POST", "/api/conversations/shared/shares", {});
  expect(made.status).toBe(201);
  const { wouldDelete } = await usage("?days=30");
  expect(wouldDelete).toMatchObject({ conversations: 2, isCut: false });
  expect(wouldDelete?.bytes).toBeGreaterThan(2_000);
  expect(await ids()).toHaveLength(5);
  await retain({ days: 30 });
  expect(await ids()).toEqual(["new", "pinned", "shared"]);
});

test("a retention of somebody that cannot be read holds up nobody else's", async () => {
  const { store } = await getDeps();
  await store.settings.set("a person before", "retention", { days: "many" });
  await add("old", 40);
  await retain({ days: 30 });
  expect(await ids()).toEqual([]);
  await store.settings.set("a person before", "retention", {});
});

test("where there is too much, those changed longest ago go until it fits, none of today", async () => {
  const big = 4_000_000;
  for (const [id, daysAgo] of [
    ["a", 9],
    ["b", 8],
    ["c", 7],
    ["d", 6],
    ["today", 0],
  ] as const)
    await add(id, daysAgo, big);
  const { total, kinds } = await usage();
  const bytes = total - kinds.unused - 6_000_000;
  expect((await usage(`?bytes=${bytes}`)).wouldDelete).toMatchObject({ conversations: 2 });
  await retain({ bytes });
  expect(await ids()).toEqual(["c", "d", "today"]);
  await add("kept", 20, 3 * big, { pinned: true });
  await retain({ bytes: 10_000_000 });
  expect(await ids()).toEqual(["kept", "today"]);
});

test("what was deleted takes its space for a day, and nothing else has to go for it", async () => {
  const big = 4_000_000;
  await add("gone", 9, 3 * big);
  await add("stays", 8, big);
  await callApi("DELETE", "/api/conversations/gone");
  const { total, kinds } = await usage();
  const bytes = total - kinds.unused - big;
  expect((await usage(`?bytes=${bytes}`)).wouldDelete).toMatchObject({ conversations: 0 });
  await retain({ bytes });
  expect(await ids()).toEqual(["stays"]);
});

test("a limit that is taken back while it is applied deletes no more; then all go, however many", async () => {
  const names = Array.from({ length: 60 }, (_, at) => `old${at}`);
  // The one that was changed longest ago goes first.
  for (const [at, name] of names.entries()) await add(name, 100 - at / 10);
  expect((await usage("?days=30")).wouldDelete).toMatchObject({ conversations: 60, isCut: false });
  const { promise: isTakenBack, resolve: takeBack } = Promise.withResolvers<void>();
  const inUse = (await getDeps()).turns.run("old1", () => isTakenBack);
  await callApi("PATCH", "/api/settings", { retention: { days: 30 } });
  await expect.poll(ids).not.toContain("old0");
  // Answered before what it asks for is done.
  await callApi("PATCH", "/api/settings", { retention: {} });
  takeBack();
  await inUse;
  await retain({});
  expect((await ids()).length).toBeGreaterThanOrEqual(58);
  await retain({ days: 30 });
  expect(await ids()).toEqual([]);
});

test("attached files count as their conversation, and go with it", async () => {
  const { files, store } = await getDeps();
  const before = await files.usage();
  const upload = await callApi("POST", "/api/attachments", "a".repeat(300_000), {
    "x-filename": "a.txt",
    "content-type": "text/plain",
  });
  const { id } = await upload.json();
  const message = { text: "Look", attachments: [{ id }] };
  await (await callApi("POST", "/api/chat", { message, model: "demo/demo" })).text();
  const [conversation] = await ids();
  await store.conversations.update(conversation, { updatedAt: Date.now() - 40 * dayMs });
  expect((await usage("?days=30")).wouldDelete?.bytes).toBeGreaterThan(300_000);
  await retain({ days: 30 });
  expect(await ids()).toEqual([]);
  expect((await files.usage()).bytes).toBe(before.bytes);
});
