import { expect, onTestFinished, test } from "vitest";
import type { Store } from "./ports";
import { chain, conversation, message, run, runEnd } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";

const quota = { count: 10, bytes: 10_000 };
const usage = { inputTokens: 1, outputTokens: 1 };
const project = { id: "p1", userId: "ann", createdAt: 1000, name: "A project", instructions: "", files: [] };
const second = conversation({ id: "c2", updatedAt: 500 });
const end = { status: "completed" as const, endedAt: 9000, result: runEnd(), iterations: [] };

/** In this order: each changes what the list of a person shows. */
const changes: [name: string, change: (store: Store) => Promise<unknown>][] = [
  ["a conversation is made", ({ conversations }) => conversations.create(conversation())],
  [
    "one begins with its run",
    ({ runs }) => runs.begin(run("r2", { conversationId: "c2" }), { conversation: second }),
  ],
  ["a question is asked", ({ runs }) => runs.begin(run("r1"), { question: message("q", null) })],
  ["a run ends", ({ runs }) => runs.finish("r1", end, [message("a", "q", { createdAt: 9000 })])],
  ["a run waits", ({ runs }) => runs.finish("r2", { ...end, status: "waiting" }, [])],
  ["a run waits no more", ({ runs }) => runs.transition("r2", "waiting", "stopped")],
  [
    "messages are added",
    ({ messages }) => messages.append("c1", [message("q2", "a"), message("q3", "a", { createdAt: 9500 })]),
  ],
  ["another branch is chosen", ({ conversations }) => conversations.update("c1", { branch: "q2" })],
  ["one is renamed", ({ conversations }) => conversations.update("c1", { title: "Another talk" })],
  [
    "a model gives a title",
    ({ conversations }) =>
      conversations.giveTitle("c1", { from: "Another talk", to: "The title", runId: "r1", usage }),
  ],
  ["one is archived", ({ conversations }) => conversations.updateMany("ann", ["c2"], { archived: true })],
  ["a project is made", ({ projects }) => projects.add(project, quota)],
  [
    "a project is renamed",
    ({ projects }) => projects.update("ann", "p1", (f) => ({ ...f, name: "B" }), quota),
  ],
  ["one is moved into it", ({ conversations }) => conversations.update("c1", { projectId: "p1" })],
  ["a project is deleted", ({ projects }) => projects.delete("ann", "p1", "keep")],
  ["one is deleted", ({ conversations }) => conversations.hide("c1", 10_000)],
  ["one is brought back", ({ conversations }) => conversations.restore("ann", ["c1"], 0)],
  ["one is deleted for ever", ({ conversations }) => conversations.delete("c1")],
  [
    "one is imported",
    ({ imports }) =>
      imports.write(
        [
          {
            ...{ source: "meguri", sourceId: "x", hash: "h", importedAt: 11_000 },
            ...{ conversation: conversation({ id: "c3", leafId: "i" }), attachments: [], runs: [] },
            messages: chain(["i"]).map((row) => ({ ...row, conversationId: "c3" })),
          },
        ],
        0,
      ),
  ],
  [
    "one has not been used for long",
    ({ conversations }) => conversations.deleteRemovable("ann", { id: "c3", updatedAt: 1000 }),
  ],
];

const shown = async ({ conversations, projects }: Store) =>
  JSON.stringify([
    await conversations.list("ann", { limit: 10 }),
    await conversations.count("ann"),
    await projects.list("ann", { limit: 10 }),
  ]);

test("whoever changes a list, its owner is told when it can be read, and nobody else", async () => {
  const store = await openTempStore();
  const told: { body: string; read: Promise<string> }[] = [];
  onTestFinished(store.bus.subscribe("user:ann", (body) => told.push({ body, read: shown(store) })));
  const others: string[] = [];
  onTestFinished(store.bus.subscribe("user:ben", (body) => others.push(body)));
  for (const [name, change] of changes) {
    const before = await shown(store);
    await change(store);
    const after = await shown(store);
    expect(after, name).not.toBe(before);
    expect(told.length, name).toBeGreaterThan(0);
    for (const { body, read } of told.splice(0))
      expect([body, await read], name).toEqual(["conversations", after]);
  }
  expect(others).toEqual([]);
});

test("what changes nothing that is shown, or fails, tells nobody", async () => {
  const { bus, conversations, messages, runs, projects } = await openTempStore();
  await conversations.create(conversation());
  await runs.begin(run("r1"), { question: message("q", null) });
  await conversations.create(conversation({ id: "c2" }));
  await conversations.hide("c2", 5_000);
  const told: string[] = [];
  onTestFinished(bus.subscribe("user:ann", (body) => told.push(body)));
  await conversations.update("c1", {});
  await conversations.update("c1", { choice: { instructions: "Be brief." } });
  await conversations.update("unknown", { title: "x" });
  await conversations.giveTitle("c1", { from: "not this", to: "x", runId: "r1", usage });
  await conversations.updateMany("ann", ["unknown"], { archived: true });
  expect(await conversations.hide("c2", 6_000)).toBe(false);
  expect(await conversations.deleteHidden("c2", 7_000)).toBe(true);
  expect(await projects.add(project, { count: 0, bytes: 0 })).toBe(false);
  await expect(messages.append("c1", [message("x", "nowhere")])).rejects.toMatchObject({ code: "not_found" });
  await expect(runs.begin(run("r1"), {})).rejects.toMatchObject({ code: "duplicate" });
  await expect(runs.transition("r1", "waiting", "stopped")).rejects.toMatchObject({ code: "conflict" });
  expect(told).toEqual([]);
});

test("everybody is told when everything is deleted", async () => {
  const { bus, ...store } = await openTempStore();
  const told: string[] = [];
  onTestFinished(bus.subscribe("everybody", (body) => told.push(body)));
  await store.empty();
  expect(told).toEqual([""]);
});
