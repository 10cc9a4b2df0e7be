import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "./ports";
import { conversation, message, run } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";
import type { AnswerChunk, RunStart } from "./types";

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
  await store.runs.begin(run("r1", { status: "completed" }), { question });
  await store.runs.begin(run("r2", { startedAt: 8000 }), {});
  expect(await store.conversations.get("ann", "c1")).toMatchObject({
    leafId: "q",
    updatedAt: 7000,
    lastRun: { id: "r2" },
  });
});

test("what an answer begins with is stored with its run, or nothing of both", async () => {
  await store.runs.begin(run("r1", { status: "completed" }), { conversation: conversation(), question });
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

test("the run that waited and is continued is completed", async () => {
  await store.runs.begin(run("r0", { status: "waiting" }), { conversation: conversation() });
  await store.runs.begin(run("r1", { continues: "r0" }), { waited: { answers: 0 } });
  expect((await store.runs.get("ann", "r0"))?.status).toBe("completed");
  expect(await store.runs.get("ann", "r1")).toEqual(run("r1", { continues: "r0" }));
});

test("a client message id that is known already leaves nothing of the second beginning", async () => {
  await store.runs.begin(run("r1"), { conversation: conversation(), question });
  const again = { ...question, id: "q2", conversationId: "c2" };
  await store.runs.create(run("r0", { status: "waiting" }));
  const row = run("r2", { conversationId: "c2", messageId: "q2", parentId: "q2", continues: "r0" });
  await expect(
    store.runs.begin(row, {
      conversation: conversation({ id: "c2" }),
      question: again,
      waited: { answers: 0 },
    }),
  ).rejects.toMatchObject({ code: "duplicate" });
  expect(await store.conversations.get("ann", "c2")).toBeUndefined();
  expect(await store.messages.get("c2", "q2")).toBeUndefined();
  expect(await store.runs.get("ann", "r2")).toBeUndefined();
  expect((await store.runs.get("ann", "r0"))?.status).toBe("waiting");
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
  ["no run that waited", { ...begun, waited: { answers: 0 } }, "not_found"],
])("with %s nothing is stored", async (_, start, code) => {
  await store.conversations.create(conversation({ id: "c0" }));
  const row = run("r1", { continues: start.waited ? "r9" : null });
  await expect(store.runs.begin(row, start)).rejects.toMatchObject({ code });
  expect(await stored()).toEqual({ conversation: undefined, message: undefined, run: undefined });
});

test("a run that is there already leaves the conversation and the status of the other as they were", async () => {
  await store.runs.begin(run("r0", { status: "waiting" }), { conversation: conversation() });
  await store.runs.begin(run("r1"), {});
  const before = await stored();
  await expect(
    store.runs.begin(run("r1", { continues: "r0" }), { question, waited: { answers: 0 } }),
  ).rejects.toMatchObject({ code: "duplicate" });
  expect(await stored()).toEqual(before);
  expect((await store.runs.get("ann", "r0"))?.status).toBe("waiting");
});

describe("somebody else was first", () => {
  const after = message("q2", "q", { createdAt: 8000 });
  beforeEach(async () => {
    await store.runs.begin(run("r1", { status: "completed" }), { conversation: conversation(), question });
  });
  const conflict = { code: "conflict" };

  test("a leaf that has moved on takes no second question, and nothing of it is stored", async () => {
    await store.runs.begin(run("r2", { parentId: "q2" }), { question: after, leaf: { from: "q" } });
    const late = { ...after, id: "q3" };
    const row = run("r3", { messageId: "q3", parentId: "q3" });
    await expect(store.runs.begin(row, { question: late, leaf: { from: "q" } })).rejects.toMatchObject(
      conflict,
    );
    expect(await store.messages.get("c1", "q3")).toBeUndefined();
    expect(await store.runs.get("ann", "r3")).toBeUndefined();
    expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "q2" });
  });

  test("a run moves the leaf back to where it hangs, when it says so", async () => {
    await store.messages.append("c1", [after]);
    await store.runs.begin(run("r2", { startedAt: 8500 }), { leaf: { from: "q2", to: "q" } });
    expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "q", updatedAt: 8500 });
    await expect(
      store.runs.begin(run("r3", { parentId: "q2" }), { leaf: { from: "q2", to: "q2" } }),
    ).rejects.toMatchObject(conflict);
  });

  test("while a run is running, no second one begins at its place, nor a question there", async () => {
    await store.runs.begin(run("r2"), {});
    await expect(store.runs.begin(run("r3"), {})).rejects.toMatchObject(conflict);
    await expect(store.runs.begin(run("r3", { parentId: "q2" }), { question: after })).rejects.toMatchObject(
      conflict,
    );
    expect(await store.messages.get("c1", "q2")).toBeUndefined();
    await store.runs.transition("r2", "running", "stopped");
    await store.runs.begin(run("r3"), {});
  });

  test("a branch begins beside a run that goes on where its first message hangs", async () => {
    await store.runs.begin(run("r2"), {});
    const messages = [message("a", "q", { createdAt: 8000 })];
    const row = run("r3", { parentId: "a" });
    await expect(store.runs.begin(row, { messages })).rejects.toMatchObject(conflict);
    await store.runs.begin(row, { messages, isBranch: true });
    expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "a", lastRun: { id: "r3" } });
    await expect(store.runs.begin(run("r4", { parentId: "a" }), {})).rejects.toMatchObject(conflict);
  });

  test("a run is continued once, whatever became of the run that continues it", async () => {
    await store.runs.begin(run("r2", { continues: "r1", status: "failed" }), {});
    const late = run("r3", { continues: "r1", parentId: "q2" });
    await expect(store.runs.begin(late, { messages: [after] })).rejects.toMatchObject(conflict);
    expect(await store.messages.get("c1", "q2")).toBeUndefined();
    expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "q" });
    await store.runs.begin(run("r3", { continues: "r2" }), {});
  });

  test("a run that waits no longer, or was answered meanwhile, is not continued", async () => {
    await store.runs.create(run("w", { status: "waiting" }));
    const answer = (requestId: string): AnswerChunk => ({
      type: "answer",
      requestId,
      answer: { decision: "deny" },
    });
    await store.runs.addAnswer("w", answer("a"), 0);
    const next = run("r2", { continues: "w" });
    await expect(store.runs.begin(next, { waited: { answers: 0 } })).rejects.toMatchObject(conflict);
    await store.runs.begin(next, { waited: { answers: 1 } });
    expect(await store.runs.answers("w")).toEqual([]);
    await expect(
      store.runs.begin(run("r3", { parentId: "x", continues: "w" }), { waited: { answers: 0 } }),
    ).rejects.toMatchObject(conflict);
    await store.runs.create(run("stopped", { status: "stopped" }));
    await expect(
      store.runs.begin(run("r4", { parentId: "x", continues: "stopped" }), { waited: { answers: 0 } }),
    ).rejects.toMatchObject(conflict);
    expect((await store.runs.get("ann", "stopped"))?.status).toBe("stopped");
  });
});
