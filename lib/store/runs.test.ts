import { beforeEach, describe, expect, test } from "vitest";
import type { Store } from "./ports";
import { chain, conversation, message, run, runEnd } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";
import type { AnswerChunk, MessageRow, RunRow } from "./types";

let store: Store;
beforeEach(async () => {
  store = await openTempStore();
  await store.conversations.create(conversation());
  await store.messages.append("c1", chain(["q"]));
});

const end = {
  status: "completed" as const,
  endedAt: 9000,
  result: (({ messages: _, ...rest }) => rest)(runEnd()),
  iterations: [
    {
      index: 1,
      startedAt: "2026-01-01T00:00:00.000Z",
      timeToFirstTokenMs: 3,
      latencyMs: 9,
      usage: { inputTokens: 5, outputTokens: 2 },
      toolCalls: [],
    },
  ],
};
const answerOf = (id: string, runId: string, parentId = "q"): MessageRow =>
  message(id, parentId, {
    message: { role: "assistant", parts: [{ type: "text", text: "Hello." }] },
    runId,
    model: "demo/demo",
  });
const leaf = async () => (await store.conversations.get("ann", "c1"))?.leafId;
const names = (rows: readonly RunRow[]) => rows.map(({ id }) => id).join(" ");

test("a run is read as it was stored, by its owner", async () => {
  const row = run("r1", { agent: "team", continues: "r0", options: { servers: ["a"], iterationsUsed: 3 } });
  await store.runs.create(row);
  expect(await store.runs.get("ann", "r1")).toEqual(row);
  expect(await store.runs.get("ben", "r1")).toBeUndefined();
  await expect(store.runs.create(row)).rejects.toMatchObject({ code: "duplicate" });
  await expect(store.runs.create(run("r2", { conversationId: "c9" }))).rejects.toMatchObject({
    code: "not_found",
  });
});

test("runs are found by id, by message and by status, oldest first", async () => {
  await store.runs.create(run("r3", { startedAt: 1 }));
  await store.runs.create(run("r1", { startedAt: 2, status: "completed" }));
  await store.runs.create(run("r2", { startedAt: 2, messageId: "other", parentId: "other" }));
  expect(names(await store.runs.many(["r2", "r9", "r1", "r3"]))).toBe("r3 r1 r2");
  expect(await store.runs.many([])).toEqual([]);
  expect(names(await store.runs.ofMessage("c1", "q"))).toBe("r3 r1");
  expect(names(await store.runs.withStatus("running"))).toBe("r3 r2");
  await store.runs.transition("r3", "running", "stopped");
  expect(names(await store.runs.withStatus("running"))).toBe("r2");
});

describe("a change of status", () => {
  const answer = (requestId: string): AnswerChunk => ({
    ...{ type: "answer", requestId, answer: { decision: "approve" } },
  });

  test("asks for the old one: of two that end a wait the second is a conflict, and stores nothing", async () => {
    await store.runs.create(run("r1", { status: "waiting" }));
    await store.runs.transition("r1", "waiting", "stopped", [answerOf("d1", "r1")]);
    expect(await leaf()).toBe("d1");
    await expect(
      store.runs.transition("r1", "waiting", "completed", [answerOf("d2", "r1")]),
    ).rejects.toMatchObject({ code: "conflict", message: "Run r1 is not waiting any more." });
    expect((await store.runs.get("ann", "r1"))?.status).toBe("stopped");
    expect(await store.messages.get("c1", "d2")).toBeUndefined();
    await expect(store.runs.transition("r9", "waiting", "stopped")).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test("is not made when its messages cannot be stored", async () => {
    await store.runs.create(run("r1", { status: "waiting" }));
    await expect(
      store.runs.transition("r1", "waiting", "stopped", [answerOf("d1", "r1", "nowhere")]),
    ).rejects.toMatchObject({ code: "not_found" });
    expect((await store.runs.get("ann", "r1"))?.status).toBe("waiting");
  });

  test("answers are kept in order while a run waits, and go when it does not", async () => {
    await store.runs.create(run("r1", { status: "waiting" }));
    await store.runs.addAnswer("r1", answer("b"), 0);
    await expect(store.runs.addAnswer("r1", answer("a"), 0)).rejects.toMatchObject({ code: "conflict" });
    await store.runs.addAnswer("r1", answer("a"), 1);
    expect(await store.runs.answers("r1")).toEqual(expect.arrayContaining([answer("a"), answer("b")]));
    await store.runs.transition("r1", "waiting", "stopped");
    expect(await store.runs.answers("r1")).toEqual([]);
    await expect(store.runs.addAnswer("r1", answer("a"), 0)).rejects.toMatchObject({ code: "conflict" });
    await expect(store.runs.addAnswer("r9", answer("a"), 0)).rejects.toMatchObject({ code: "not_found" });
  });
});

describe("finish", () => {
  test("stores end, timeline and messages, and moves the leaf and the time", async () => {
    await store.runs.create(run("r1"));
    await store.runs.finish("r1", end, [answerOf("a1", "r1"), answerOf("a2", "r1", "a1")]);
    expect(await store.runs.get("ann", "r1")).toEqual({
      ...{ ...run("r1"), ...end, result: { ...end.result, messages: 2 } },
    });
    const { rows } = await store.messages.branch("c1", "a2");
    expect(rows.slice(1)).toEqual([answerOf("a1", "r1"), answerOf("a2", "r1", "a1")]);
    expect(await store.conversations.get("ann", "c1")).toMatchObject({ leafId: "a2", updatedAt: 9000 });
  });

  test("without messages leaves the leaf where it is", async () => {
    await store.runs.create(run("r1"));
    await store.runs.finish("r1", { ...end, status: "failed" }, []);
    expect(await store.conversations.get("ann", "c1")).toMatchObject({
      leafId: "q",
      updatedAt: 9000,
      lastRun: { id: "r1", status: "failed" },
    });
  });

  test("of a regenerated answer makes a sibling and shows it", async () => {
    await store.runs.create(run("r1"));
    await store.runs.finish("r1", end, [answerOf("a1", "r1")]);
    await store.conversations.update("c1", { leafId: "q" });
    await store.runs.create(run("r2"));
    await store.runs.finish("r2", end, [{ ...answerOf("a2", "r2"), createdAt: 2001 }]);
    expect((await store.messages.children("c1", ["q"])).get("q")).toEqual(["a1", "a2"]);
    expect(await leaf()).toBe("a2");
  });

  test("does not take back a person who has gone to another branch", async () => {
    await store.runs.create(run("r1"));
    await store.messages.append("c1", [message("edited", null)]);
    await store.runs.finish("r1", end, [answerOf("a1", "r1")]);
    expect(await leaf()).toBe("edited");
    expect(await store.messages.get("c1", "a1")).toEqual(answerOf("a1", "r1"));
  });

  test("goes on from an earlier message of its own branch and from a message of its own", async () => {
    await store.messages.append("c1", chain(["x", "y"], "q"));
    await store.runs.create(run("r1", { parentId: "y" }));
    await store.conversations.update("c1", { leafId: "q" });
    await store.runs.finish("r1", end, [answerOf("a1", "r1", "y")]);
    expect(await leaf()).toBe("a1");

    await store.runs.create(run("r2", { parentId: "a1" }));
    await store.messages.append("c1", [answerOf("b1", "r2", "a1")]);
    await store.runs.finish("r2", end, [answerOf("b2", "r2", "b1")]);
    expect(await leaf()).toBe("b2");
  });

  test("is refused for a run that has ended or is not there, and changes nothing", async () => {
    await store.runs.create(run("r1"));
    await store.runs.finish("r1", { ...end, status: "stopped" }, [answerOf("a1", "r1")]);
    await expect(store.runs.finish("r1", end, [answerOf("a2", "r1")])).rejects.toMatchObject({
      code: "conflict",
      message: "Run r1 has ended already, or is in other hands.",
    });
    await expect(store.runs.finish("r9", end, [])).rejects.toMatchObject({ code: "not_found" });
    expect((await store.runs.get("ann", "r1"))?.status).toBe("stopped");
    expect(await store.messages.get("c1", "a2")).toBeUndefined();
  });

  test("stores nothing of it when one message cannot be stored", async () => {
    await store.runs.create(run("r1"));
    const broken = [answerOf("a1", "r1"), answerOf("a2", "r1", "nowhere")];
    await expect(store.runs.finish("r1", end, broken)).rejects.toMatchObject({ code: "not_found" });
    expect(await store.runs.get("ann", "r1")).toEqual(run("r1"));
    expect(await store.messages.get("c1", "a1")).toBeUndefined();
    expect(await leaf()).toBe("q");
  });
});

test("the last words of a run are stored once: where its messages end in others they stand with its end", async () => {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null)]);
  for (const [id, finalText] of [
    ["same", undefined],
    ["other", "Other words."],
  ] as const) {
    await store.runs.begin(run(id, { parentId: "q" }), {});
    const { finalText: _, messages: __, ...rest } = runEnd();
    const result = { ...rest, ...(finalText && { finalText }) };
    await store.runs.finish(id, { status: "completed", endedAt: 1, iterations: [], result }, []);
    expect((await store.runs.get("ann", id))?.result).toEqual({ ...result, messages: 0 });
  }
});
