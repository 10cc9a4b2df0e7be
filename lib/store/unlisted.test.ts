import { beforeEach, expect, test } from "vitest";
import type { Store } from "./ports";
import { conversation, message, run, runEnd } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

let store: Store;
beforeEach(async () => {
  store = await openTempStore();
});

const listed = async () => (await store.conversations.list("ann", { limit: 9 })).items.map(({ id }) => id);
const found = async (text: string) =>
  (await store.search.messages("ann", text, { limit: 9 })).items.map(({ messageId }) => messageId);
const program = () => conversation({ id: "p", origin: "v1" });
const own = (id: string, parentId: string | null) => message(id, parentId, { conversationId: "p" });
const begun = (id: string, more: object = {}) => run(id, { conversationId: "p", origin: "v1", ...more });
const answer = {
  ...own("a", "q"),
  message: { role: "assistant" as const, parts: [{ type: "text" as const, text: "an answer" }] },
  runId: "r",
};

/** A program's question with what came before it, whose run waits. */
async function begin(): Promise<void> {
  const start = { conversation: program(), earlier: [own("e", null)], question: own("q", "e") };
  await store.runs.begin(begun("r"), start);
}

const finish = (id: string, status: "waiting" | "completed", messages = [answer]) =>
  store.runs.finish(id, { status, endedAt: 5000, result: runEnd(), iterations: [] }, messages);

test("what a program has for itself is in no list and not found, but can be opened with all its messages", async () => {
  await store.conversations.create(conversation());
  await begin();
  await finish("r", "completed");
  expect([await listed(), await store.conversations.count("ann")]).toEqual([
    ["c1"],
    { listed: 1, archived: 0 },
  ]);
  expect((await store.outlines.all("ann")).map(({ id }) => id)).toEqual(["c1"]);
  expect([await found("answer"), await found("text")]).toEqual([[], []]);
  expect(await store.conversations.get("ann", "p")).toMatchObject({ origin: "v1", leafId: "a" });
  expect((await store.messages.branch("p", "a")).rows.map(({ id }) => id)).toEqual(["e", "q", "a"]);
  expect((await store.runs.list("ann", { limit: 9, kind: "v1" })).items.map(({ id }) => id)).toEqual(["r"]);
});

test("it is listed as long as its run waits for a person", async () => {
  await begin();
  await finish("r", "waiting");
  expect(await listed()).toEqual(["p"]);
  await store.runs.begin(begun("r2", { continues: "r", parentId: "a" }), { waited: { answers: 0 } });
  expect(await listed()).toEqual([]);
  await finish("r2", "waiting", []);
  expect(await listed()).toEqual(["p"]);
  await store.runs.transition("r2", "waiting", "stopped");
  expect(await listed()).toEqual([]);
});

test.each([
  ["named", () => store.conversations.update("p", { title: "Mine" })],
  ["pinned", () => store.conversations.update("p", { pinned: true })],
  ["gone on in", () => store.runs.begin(begun("s", { origin: undefined }), { question: own("s", "a") })],
])("one that is %s by a person is listed and found from then on", async (_, keep) => {
  await begin();
  await finish("r", "completed");
  await keep();
  expect(await listed()).toEqual(["p"]);
  expect((await found("text")).toSorted()).toEqual(
    (await store.messages.get("p", "s")) ? ["e", "q", "s"] : ["e", "q"],
  );
  expect(await found("answer")).toEqual(["a"]);
  expect(await store.conversations.unkept({ until: 9000, limit: 9 })).toEqual([]);
});

test("those that nobody keeps are deleted when they are old enough, and none that waits", async () => {
  await begin();
  await finish("r", "waiting");
  expect(await store.conversations.unkept({ until: 9000, limit: 9 })).toEqual([]);
  await store.runs.transition("r", "waiting", "stopped");
  expect(await store.conversations.unkept({ until: 4999, limit: 9 })).toEqual([]);
  const [old] = await store.conversations.unkept({ until: 5000, limit: 9 });
  expect(old).toEqual({ id: "p", userId: "ann", updatedAt: 5000 });
  expect(await store.conversations.deleteRemovable("ann", { id: "p", updatedAt: 5000 })).toBe(true);
  expect(await store.runs.get("ann", "r")).toBeUndefined();
});
