import { beforeEach, expect, test } from "vitest";
import { writeCursor } from "./cursor";
import { BadCursorError } from "./errors";
import { openStore } from "./open-store";
import type { Store } from "./ports";
import { chain, conversation, events, message, run, share } from "./testing/rows";
import { askStored, openTempStore, placeOf, tempDir } from "./testing/temp-store";

let store: Store;
beforeEach(async () => {
  store = await openTempStore();
});

async function pages(userId: string, limit: number): Promise<string[]> {
  const out: string[] = [];
  let cursor: string | undefined;
  for (let count = 0; count < 50; count++) {
    const page = await store.conversations.list(userId, { limit, ...(cursor && { cursor }) });
    out.push(page.items.map(({ id }) => id).join(" "));
    if (page.nextCursor === null) return out;
    cursor = page.nextCursor;
  }
  throw new Error("The list has no end.");
}

test("a list shows pinned ones first, then the newest, each once over all pages", async () => {
  for (const [id, updatedAt, pinned] of [
    ["a", 1, false],
    ["b", 5, false],
    ["c", 5, false],
    ["d", 2, true],
    ["e", 9, false],
    ["f", 2, true],
    ["g", 8, true],
  ] as const)
    await store.conversations.create(conversation({ id, updatedAt, pinned }));
  await store.conversations.create(conversation({ id: "other", userId: "ben", updatedAt: 99 }));
  expect(await pages("ann", 3)).toEqual(["g f d", "e c b", "a"]);
  expect(await pages("ann", 7)).toEqual(["g f d e c b a"]);
  expect(await pages("ann", 1)).toEqual(["g", "f", "d", "e", "c", "b", "a"]);
  expect(await pages("nobody", 5)).toEqual([""]);
});

test("those in the archive and the others are counted, of one person and without deleted ones", async () => {
  expect(await store.conversations.count("ann")).toEqual({ listed: 0, archived: 0 });
  for (const id of ["a", "b", "c", "d"]) await store.conversations.create(conversation({ id }));
  await store.conversations.create(conversation({ id: "other", userId: "ben" }));
  await store.conversations.update("a", { archived: true });
  await store.conversations.hide("b", 1);
  expect(await store.conversations.count("ann")).toEqual({ listed: 2, archived: 1 });
});

test("what changes between two pages neither repeats nor hides the others", async () => {
  for (let n = 1; n <= 4; n++) await store.conversations.create(conversation({ id: `c${n}`, updatedAt: n }));
  const first = await store.conversations.list("ann", { limit: 2 });
  await store.conversations.create(conversation({ id: "new", updatedAt: 10 }));
  await store.conversations.delete("c3");
  const second = await store.conversations.list("ann", { limit: 2, cursor: first.nextCursor ?? "" });
  expect(first.items.map(({ id }) => id)).toEqual(["c4", "c3"]);
  expect(second.items.map(({ id }) => id)).toEqual(["c2", "c1"]);
});

test("a cursor of somebody else's making is refused", async () => {
  for (const cursor of [
    "",
    "x",
    "🌸",
    writeCursor([2, 1, "a"]),
    writeCursor([1, 1]),
    writeCursor(["1", 1, "a"]),
  ])
    await expect(store.conversations.list("ann", { limit: 2, cursor })).rejects.toThrow(BadCursorError);
});

test("a conversation comes with its newest run and only to its owner", async () => {
  await store.conversations.create(conversation());
  expect(await store.conversations.get("ann", "c1")).toEqual({ ...conversation(), lastRun: null });
  await store.messages.append("c1", chain(["q"]));
  await store.runs.create(run("r1", { startedAt: 10 }));
  await store.runs.create(run("r3", { startedAt: 30, status: "waiting" }));
  await store.runs.create(run("r2", { startedAt: 20, status: "failed" }));
  const lastRun = { id: "r3", status: "waiting" };
  expect((await store.conversations.get("ann", "c1"))?.lastRun).toEqual(lastRun);
  const { items } = await store.conversations.list("ann", { limit: 5 });
  expect(items).toEqual([{ ...conversation(), leafId: "q", updatedAt: 2000, lastRun }]);
  expect(await store.conversations.get("ben", "c1")).toBeUndefined();
});

test("a change touches only what it names", async () => {
  await store.conversations.create(conversation());
  await store.conversations.create(conversation({ id: "c2" }));
  await store.conversations.update("c1", { title: "New", pinned: true });
  await store.conversations.update("c1", { leafId: "x" });
  await store.conversations.update("c1", {});
  expect(await store.conversations.get("ann", "c1")).toMatchObject({
    title: "New",
    pinned: true,
    leafId: "x",
    updatedAt: 1000,
  });
  await store.conversations.update("c1", { pinned: false, leafId: null, updatedAt: 5 });
  expect(await store.conversations.get("ann", "c1")).toMatchObject({
    pinned: false,
    leafId: null,
    updatedAt: 5,
  });
  expect(await store.conversations.get("ann", "c2")).toMatchObject(conversation({ id: "c2" }));
});

test("a branch is shown to its newest end, with what else changes, or nothing changes", async () => {
  await store.conversations.create(conversation());
  await store.messages.append("c1", [...chain(["q", "old"]), message("new", "q", { createdAt: 9000 })]);
  await store.conversations.update("c1", { leafId: "old" });
  await store.conversations.update("c1", { branch: "q", title: "New" });
  expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "new", title: "New" });
  const nowhere = store.conversations.update("c1", { branch: "gone", title: "Newer" });
  await expect(nowhere).rejects.toMatchObject({ code: "not_found" });
  expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "new", title: "New" });
});

test("deleting takes messages, runs, logs and shares along and nothing else", async () => {
  for (const id of ["c1", "c2"]) {
    await store.conversations.create(conversation({ id }));
    const [row] = chain([`q-${id}`]);
    if (row) await store.messages.append(id, [{ ...row, conversationId: id }]);
    await store.runs.create(run(`r-${id}`, { conversationId: id }));
    await store.log.append(`r-${id}`, events(1, 5), false);
    await store.shares.create(share(`s-${id}`, { conversationId: id }));
  }
  await store.conversations.delete("c1");
  const left = async (id: string) => [
    await store.conversations.get("ann", id),
    await store.messages.get(id, `q-${id}`),
    await store.runs.get("ann", `r-${id}`),
    await store.shares.get("ann", `s-${id}`),
    (await store.log.lastSeq(`r-${id}`)) || undefined,
  ];
  expect((await left("c1")).filter((row) => row !== undefined)).toEqual([]);
  expect((await left("c2")).filter((row) => row !== undefined)).toHaveLength(5);
});

test("logs whose deletion a crash cut short are deleted at the next opening", async () => {
  const dataDir = tempDir();
  const first = await openStore(await placeOf(dataDir));
  await first.log.append("r1", events(1, 5), false);
  await first.log.append("r2", events(1, 5), false);
  await first.close();
  await askStored(dataDir, "records", "insert into deleted_run (id) values ('r1')");
  const again = await openTempStore({ dataDir });
  expect([await again.log.lastSeq("r1"), await again.log.lastSeq("r2")]).toEqual([0, 5]);
});

test("a choice is merged into what was chosen, also with the run that begins; lists leave it out", async () => {
  const choice = { model: "a/a", servers: ["one"], instructions: "Be brief." };
  await store.conversations.create(conversation({ choice }));
  await Promise.all([
    store.conversations.update("c1", { choice: { instructions: null } }),
    store.conversations.update("c1", { choice: { servers: null }, title: "Later" }),
  ]);
  const [question] = chain(["q"]);
  await store.runs.begin(run("r1"), { ...(question && { question }), choice: { model: "b/b" } });
  const stored = await store.conversations.get("ann", "c1");
  expect([stored?.title, stored?.choice]).toEqual(["Later", { model: "b/b", servers: null }]);
  const { items } = await store.conversations.list("ann", { limit: 5 });
  expect(items[0]).not.toHaveProperty("choice");
  await store.conversations.update("c1", { choice: { model: null } });
  expect((await store.conversations.get("ann", "c1"))?.choice).toEqual({ servers: null });
});

test("a title is stored without what no text of a database holds, and found as it was given", async () => {
  const title = "One \ud83d two\0 \u{1f44d}";
  await store.conversations.create(conversation({ title }));
  expect((await store.conversations.get("ann", "c1"))?.title).toBe("One  two \u{1f44d}");
  await store.conversations.giveTitle("c1", {
    ...{ from: title, to: "a\0b", runId: "none", usage: { inputTokens: 0, outputTokens: 0 } },
  });
  expect((await store.conversations.get("ann", "c1"))?.title).toBe("ab");
  const text = "NUL \0 and half \ud83d of a pair";
  await store.messages.append("c1", [
    message("q", null, { message: { role: "user", parts: [{ type: "text", text }] } }),
  ]);
  expect((await store.messages.get("c1", "q"))?.message).toEqual({
    role: "user",
    parts: [{ type: "text", text }],
  });
});
