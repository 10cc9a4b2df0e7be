import { expect, test } from "vitest";
import type { Store } from "./ports";
import type { NewQueued } from "./queue-types";
import { conversation, message, run } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

const words = (text: string) => ({ role: "user" as const, parts: [{ type: "text" as const, text }] });

const queued = (id: string, told: Partial<NewQueued["row"]> = {}): NewQueued => ({
  row: {
    id,
    conversationId: "c1",
    userId: "ann",
    clientMessageId: `client ${id}`,
    when: "after",
    message: words(`text of ${id}`),
    createdAt: 5000,
    ...told,
  },
  runId: "r1",
  questionId: "q",
});

/** A conversation whose question the run `r1` answers. */
async function openRunning(): Promise<Store> {
  const store = await openTempStore();
  await store.conversations.create(conversation());
  await store.messages.append("c1", [message("q", null)]);
  await store.runs.create(run("r1"));
  return store;
}

const ids = async (store: Store, chain = "r1") =>
  (await store.queue.waiting(chain)).map(({ id, when }) => (when === "after" ? id : `${id}!`)).join(" ");

test("what is read with the next turn comes before what is asked afterwards, each in its order", async () => {
  const { queue, ...store } = await openRunning();
  await queue.add(queued("a"));
  await queue.add(queued("b"));
  await queue.add(queued("s", { when: "next_turn" }));
  await queue.add({ ...queued("first"), isFirst: true });
  expect(await ids({ ...store, queue })).toBe("first s! a b");
  expect(await queue.change("b", { before: "a" })).toBe(true);
  expect(await ids({ ...store, queue })).toBe("s! first b a");
  expect(await queue.change("b", { before: null, when: "next_turn", message: words("other") })).toBe(true);
  expect(await ids({ ...store, queue })).toBe("s! b! first a");
  expect((await queue.get("ann", "b"))?.message).toEqual(words("other"));
  expect(await queue.get("bob", "b")).toBeUndefined();
  await expect(queue.change("b", { before: "gone" })).rejects.toMatchObject({ code: "not_found" });
});

test("twenty wait behind a chain at most, and none behind one that has ended", async () => {
  const { queue, runs } = await openRunning();
  for (let at = 0; at < 20; at++) expect(await queue.add(queued(`m${at}`))).toEqual({ id: `m${at}` });
  expect(await queue.add(queued("more"))).toBe("full");
  expect(await queue.add(queued("again", { clientMessageId: "client m3" }))).toEqual({ id: "m3" });
  expect(await queue.takeBack("m3")).toBe(true);
  expect(await queue.takeBack("m3")).toBe(false);
  await runs.transition("r1", "running", "stopped");
  expect(await queue.add(queued("late"))).toBe("ended");
  expect(await queue.add({ ...queued("late"), mayFollow: true })).toEqual({ id: "late" });
});

test("a chain is one from its first run to the one that goes on", async () => {
  const { queue, runs } = await openRunning();
  await runs.transition("r1", "running", "waiting");
  await runs.begin(run("r2", { continues: "r1" }), { waited: { answers: 0 } });
  await runs.create(run("other", { parentId: "elsewhere" }));
  expect(await queue.add({ ...queued("a"), runId: "r2" })).toEqual({ id: "a" });
  expect((await queue.waiting("r1")).map(({ chainId }) => chainId)).toEqual(["r1"]);
  expect(await queue.waitingIn("c1")).toEqual([{ chainId: "r1", messageId: "q" }]);
});

test("what a run has taken nobody changes; what its log lacks waits again", async () => {
  const { queue, ...store } = await openRunning();
  await queue.add(queued("a"));
  await queue.add(queued("s", { when: "next_turn" }));
  await queue.add(queued("t", { when: "next_turn" }));
  expect((await queue.claim("r1", "r1")).map(({ id }) => id)).toEqual(["s", "t"]);
  expect(await queue.claim("r1", "r1")).toEqual([]);
  expect(await queue.change("s", { message: words("late") })).toBe(false);
  expect(await queue.takeBack("s")).toBe(false);
  expect(await queue.unsettled()).toEqual([{ chainId: "r1", userId: "ann" }]);
  expect(await queue.takers("r1")).toEqual(["r1"]);
  expect(await queue.settle("r1", { runIds: ["r1"], delivered: ["s"], isOver: false })).toBe(true);
  expect(await ids({ ...store, queue })).toBe("t! a");
  expect(await queue.get("ann", "s")).toMatchObject({ state: "delivered", message: { parts: [] } });
  expect(await queue.settle("r1", { runIds: ["r1"], delivered: [], isOver: true })).toBe(true);
  expect(await ids({ ...store, queue })).toBe("t a");
});

test("one that is asked is asked once, and the others go on behind it", async () => {
  const { queue, ...store } = await openRunning();
  await queue.add(queued("a"));
  await queue.add(queued("b"));
  await store.runs.transition("r1", "running", "completed");
  const begin = (id: string) =>
    store.runs.begin(run(id, { messageId: "a", parentId: "a" }), {
      question: message("a", "q", { clientMessageId: "client a" }),
      queued: { id: "a", follows: "r1" },
      adopts: ["r1"],
    });
  await begin("r2");
  await expect(begin("r3")).rejects.toMatchObject({ code: "duplicate" });
  expect(await queue.askedAfter("r1")).toBe("r2");
  expect(await ids({ ...store, queue })).toBe("");
  expect(await ids({ ...store, queue }, "r2")).toBe("b");
  expect(await queue.byClientId("ann", "client a")).toMatchObject({ state: "delivered", runId: "r2" });
  // The same message again is the one that has been asked.
  expect(await queue.add({ ...queued("again", { clientMessageId: "client a" }), runId: "r2" })).toEqual({
    id: "a",
  });
});

test("it goes with its conversation, and counts as a part of it", async () => {
  const { queue, conversations } = await openRunning();
  const before = await conversations.size("c1");
  await queue.add(queued("a", { message: words("x".repeat(5_000)) }));
  expect(await conversations.size("c1")).toBeGreaterThan(before + 5_000);
  await conversations.delete("c1");
  expect(await queue.get("ann", "a")).toBeUndefined();
});
