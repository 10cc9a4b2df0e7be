import { beforeEach, expect, test } from "vitest";
import { conversation, message, run } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";
import type { RunStart, Store } from "./types";

let store: Store;
beforeEach(async () => {
  store = await openTempStore();
});

const question = message("q", null, { clientMessageId: "k1", createdAt: 7000 });
const stored = async () => ({
  conversation: await store.conversations.get("ann", "c1"),
  message: await store.messages.get("c1", "q"),
  run: await store.runs.get("ann", "r1"),
});

test("a first question brings its conversation and its run along", async () => {
  await store.runs.begin(run("r1"), { conversation: conversation(), question });
  expect(await stored()).toEqual({
    conversation: {
      ...conversation({ leafId: "q", updatedAt: 7000 }),
      lastRun: { id: "r1", status: "running" },
    },
    message: question,
    run: run("r1"),
  });
});

test("a later question moves the leaf, and a run without one leaves it", async () => {
  await store.conversations.create(conversation());
  await store.runs.begin(run("r1"), { question });
  await store.runs.begin(run("r2", { startedAt: 8000 }), {});
  expect(await store.conversations.get("ann", "c1")).toMatchObject({
    leafId: "q",
    updatedAt: 7000,
    lastRun: { id: "r2" },
  });
});

test("what an answer begins with is stored with its run, or nothing of both", async () => {
  await store.runs.begin(run("r1"), { conversation: conversation(), question });
  const kept = [message("a", "q", { createdAt: 8000 }), message("b", "a", { createdAt: 8000 })];
  const row = run("r2", { parentId: "b" });
  const broken = [...kept, message("x", "nowhere")];
  await expect(store.runs.begin(row, { messages: broken })).rejects.toMatchObject({ code: "not_found" });
  expect(await store.messages.get("c1", "a")).toBeUndefined();
  expect(await store.runs.get("ann", "r2")).toBeUndefined();
  await store.runs.begin(row, { messages: kept });
  expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "b", lastRun: { id: "r2" } });
  expect((await store.messages.branch("c1", "b")).rows).toEqual([question, ...kept]);
});

test("the run that is continued gets its status", async () => {
  await store.runs.begin(run("r0", { status: "waiting" }), { conversation: conversation() });
  await store.runs.begin(run("r1", { continues: "r0" }), { status: { id: "r0", status: "completed" } });
  expect((await store.runs.get("ann", "r0"))?.status).toBe("completed");
  expect(await store.runs.get("ann", "r1")).toEqual(run("r1", { continues: "r0" }));
});

test("a client message id that is known already leaves nothing of the second beginning", async () => {
  await store.runs.begin(run("r1"), { conversation: conversation(), question });
  const again = { ...question, id: "q2", conversationId: "c2" };
  const row = run("r2", { conversationId: "c2", messageId: "q2", parentId: "q2" });
  await expect(
    store.runs.begin(row, {
      conversation: conversation({ id: "c2" }),
      question: again,
      status: { id: "r1", status: "stopped" },
    }),
  ).rejects.toMatchObject({ code: "duplicate" });
  expect(await store.conversations.get("ann", "c2")).toBeUndefined();
  expect(await store.messages.get("c2", "q2")).toBeUndefined();
  expect(await store.runs.get("ann", "r2")).toBeUndefined();
  expect((await store.runs.get("ann", "r1"))?.status).toBe("running");
});

const begun: RunStart = { conversation: conversation(), question };
test.each<[string, RunStart, string]>([
  ["a conversation that is not the run's", { conversation: conversation({ id: "c0" }) }, "invalid"],
  ["no conversation", { question }, "not_found"],
  ["no parent of the question", { ...begun, question: message("q", "nowhere") }, "not_found"],
  [
    "a question of another conversation",
    { ...begun, question: { ...question, conversationId: "c0" } },
    "invalid",
  ],
  ["no run to give a status to", { ...begun, status: { id: "r9", status: "completed" } }, "not_found"],
])("with %s nothing is stored", async (_, start, code) => {
  await store.conversations.create(conversation({ id: "c0" }));
  await expect(store.runs.begin(run("r1"), start)).rejects.toMatchObject({ code });
  expect(await stored()).toEqual({ conversation: undefined, message: undefined, run: undefined });
});

test("a run that is there already leaves the conversation and the status of the other as they were", async () => {
  await store.runs.begin(run("r0", { status: "waiting" }), { conversation: conversation() });
  await store.runs.begin(run("r1"), {});
  const before = await stored();
  await expect(
    store.runs.begin(run("r1"), { question, status: { id: "r0", status: "completed" } }),
  ).rejects.toMatchObject({ code: "duplicate" });
  expect(await stored()).toEqual(before);
  expect((await store.runs.get("ann", "r0"))?.status).toBe("waiting");
});
