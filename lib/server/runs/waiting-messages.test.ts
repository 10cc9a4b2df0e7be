import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import type { QueuedMessage } from "@/lib/protocol/http";
import { chat } from "@/lib/server/conversations/chat";
import { listQueued, queueMessage } from "@/lib/server/conversations/queued-messages";
import { ended, historyOf, kindsOf, nextOf, stored, user } from "@/lib/server/testing/run-kit";
import { type Process, restart, startAlone, type World } from "@/lib/server/testing/world";
import type { LogEvent, RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { resumeRun } from "./resume-run";
import { stopRun } from "./stop-run";

const question = { message: { text: "Do it." } };
const says = (words: string) => [text(words), stop("end_turn")];
const looks = [call("a", "desk__look"), stop("tool_use")];

/** The run of a question, when its model has been asked: what is said from then on is for the turn after. */
async function askHeld(app: Process & { world: World }): Promise<RunRow> {
  const run = await chat(app, user, question);
  while (app.world.turns.length === 0) await nextTurn();
  return run;
}

const send = (app: Process, run: RunRow, words: string, when: QueuedMessage["when"]) =>
  queueMessage(app, run, { text: words, when, clientMessageId: words });
const waiting = async (app: Process, run: RunRow) =>
  (await listQueued(app, run)).items.map((item) => `${item.text} ${item.when}`);
/** The run that was begun with what waited behind this one. */
const askedAfter = async (app: Process, { id }: RunRow) => {
  await app.runs.handing.get(id);
  return ended(app, { id: (await app.store.queue.askedAfter(id)) ?? "" });
};
const wordsOf = async (app: Process, run: RunRow) =>
  (await historyOf(app, run)).flatMap((message) =>
    "parts" in message ? message.parts.map((part) => ("text" in part ? part.text : part.type)) : [],
  );

test("a message for a run that waits is read after the answer, right behind the results", async () => {
  const app = await startAlone([call("a", "desk__work"), stop("tool_use")], says("Done."), says("So."));
  const run = await ended(app, await chat(app, user, question));
  await send(app, run, "Faster.", "next_turn");
  await send(app, run, "And then?", "after");
  expect(await waiting(app, run)).toEqual(["Faster. next_turn", "And then? after"]);
  const { runId } = await answerRun(app, run, { requestId: "a", decision: "approve" });
  const next = await ended(app, { id: runId ?? "" });
  expect(await kindsOf(app, next)).toBe("answer tool_start tool_result message iteration text result");
  await askedAfter(app, next);
  expect((await wordsOf(app, next)).slice(-4)).toEqual(["Faster.", "Done.", "And then?", "So."]);
});

test("what no request has read is asked when the answer is complete, before the rest", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...says("One.")], says("Two."), says("Three."));
  const run = await askHeld(app);
  await send(app, run, "Later", "after");
  await send(app, run, "Too late", "next_turn");
  held.resolve();
  await ended(app, run);
  const second = await askedAfter(app, run);
  await askedAfter(app, second);
  expect(await wordsOf(app, run)).toEqual(["Do it.", "One.", "Too late", "Two.", "Later", "Three."]);
});

test("after kill -9 between the end of a run and what waits behind it, the next start asks it", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...says("One.")], says("Two."));
  const run = await askHeld(app);
  const { id } = await send(app, run, "Next", "after");
  const begin = app.store.hold("runs.begin");
  held.resolve();
  await begin.reached;
  const later = await restart(app);
  expect(await askedAfter(later, run)).toMatchObject({ messageId: id, status: "completed" });
  expect(await wordsOf(later, run)).toEqual(["Do it.", "One.", "Next", "Two."]);
});

test("after kill -9 between the taking of a message and its line in the log, it waits again", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...looks], says("Done."), says("Answer."));
  const run = await askHeld(app);
  await send(app, run, "Faster.", "next_turn");
  const line = app.store.hold("log.append", (_: string, events: LogEvent[]) =>
    events.some(({ data }) => data.type === "message"),
  );
  held.resolve();
  await line.reached;
  expect(await waiting(app, run)).toEqual([]);
  const later = await restart(app);
  expect((await stored(later, run.id)).status).toBe("interrupted");
  expect(await waiting(later, run)).toEqual(["Faster. after"]);
  const next = await resumeRun(later, await stored(later, run.id));
  await ended(later, next);
  await askedAfter(later, next);
  expect((await wordsOf(later, run)).slice(-3)).toEqual(["Done.", "Faster.", "Answer."]);
});

test("a message that its log holds was read, also when the run was killed right after it", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...looks], says("Done."), says("Answer."));
  const run = await askHeld(app);
  const { id } = await send(app, run, "Faster.", "next_turn");
  held.resolve();
  const finish = app.store.hold("runs.finish");
  await finish.reached;
  const later = await restart(app);
  expect(await waiting(later, run)).toEqual([]);
  expect(await later.store.queue.get(user, id)).toMatchObject({ state: "delivered", runId: run.id });
  expect((await historyOf(later, run)).map(({ role }) => role)).toEqual([
    ...["user", "assistant", "tool", "user", "assistant"],
  ]);
});

test("a store that refuses to hand a message over costs the run nothing, and the message waits", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...looks], says("Done."), says("Answer."));
  const run = await askHeld(app);
  await send(app, run, "Faster.", "next_turn");
  app.store.failing("queue.claim", new Error("locked"));
  held.resolve();
  expect((await ended(app, run)).status).toBe("completed");
  await askedAfter(app, run);
  expect((await wordsOf(app, run)).slice(-3)).toEqual(["Done.", "Faster.", "Answer."]);
  expect(app.faults).not.toEqual([]);
});

test("a question that comes between an end and what waits behind it goes first", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...says("One.")], says("Mine."), says("Two."));
  const run = await askHeld(app);
  const { conversationId } = run;
  await send(app, run, "Next", "after");
  const settle = app.store.hold("queue.settle");
  held.resolve();
  await settle.reached;
  // It has its turn in the conversation before the other one asks for it.
  const release = Promise.withResolvers<void>();
  void app.turns.run(conversationId, () => release.promise);
  const mine = chat(app, user, { conversationId, message: { text: "Mine?" } });
  settle.release();
  await vi.waitUntil(() => app.runs.handing.has(run.id));
  release.resolve();
  await ended(app, await mine);
  await app.runs.handing.get(run.id);
  await askedAfter(app, await mine);
  expect(await wordsOf(app, run)).toEqual(["Do it.", "One.", "Mine?", "Mine.", "Next", "Two."]);
});

test("a question that comes before it is known what waits behind an end goes first too", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...says("One.")], says("Mine."), says("Two."));
  const run = await askHeld(app);
  const { conversationId } = run;
  await send(app, run, "Next", "after");
  const settle = app.store.hold("queue.settle");
  held.resolve();
  await settle.reached;
  const branch = app.store.hold("messages.branch");
  const mine = chat(app, user, { conversationId, message: { text: "Mine?" } });
  await branch.reached;
  branch.release();
  // It has read all that it looks at before it looks for what waits.
  await nextTurn();
  await app.store.quiet();
  settle.release();
  await ended(app, await mine);
  await app.runs.handing.get(run.id);
  await askedAfter(app, await mine);
  expect(await wordsOf(app, run)).toEqual(["Do it.", "One.", "Mine?", "Mine.", "Next", "Two."]);
});

test("a message that cannot be asked in its turn goes behind the next answer", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...says("One.")], says("Mine."), says("Two."));
  const run = await askHeld(app);
  const { conversationId } = run;
  await send(app, run, "Next", "after");
  app.store.failing("runs.begin", new Error("locked"));
  held.resolve();
  await ended(app, run);
  await app.runs.handing.get(run.id);
  expect(await waiting(app, run)).toEqual(["Next after"]);
  app.store.failing("runs.begin", undefined);
  const mine = await chat(app, user, { conversationId, message: { text: "Mine?" } });
  await ended(app, mine);
  await askedAfter(app, mine);
  expect(await wordsOf(app, run)).toEqual(["Do it.", "One.", "Mine?", "Mine.", "Next", "Two."]);
});

test("a wait that is stopped leaves nothing for a turn that does not come", async () => {
  const app = await startAlone([call("a", "desk__work"), stop("tool_use")], says("Done."));
  const run = await ended(app, await chat(app, user, question));
  await send(app, run, "Faster.", "next_turn");
  await stopRun(app, run);
  expect(await waiting(app, run)).toEqual(["Faster. after"]);
});

test("a workflow takes nothing in between: the message is asked after it", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...says("One.")], says("Two."));
  const run = await askHeld(app);
  expect(await send(app, { ...run, agent: "research" }, "Faster.", "next_turn")).toMatchObject({
    when: "after",
  });
  held.resolve();
  await ended(app, run);
  await askedAfter(app, run);
  expect(await nextOf(app, run)).toBeUndefined();
  expect(await wordsOf(app, run)).toEqual(["Do it.", "One.", "Faster.", "Two."]);
});

test("a person who has gone to another branch stays there when what waits is asked", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone(says("One."), [held.promise, ...says("Other.")], says("Two."));
  const first = await ended(app, await chat(app, user, question));
  const { conversationId, messageId } = first;
  const leaf = async () => (await app.store.conversations.get(user, conversationId))?.leafId;
  const shown = await leaf();
  const other = await chat(app, user, { conversationId, regenerate: messageId });
  while (app.world.turns.length < 2) await nextTurn();
  await send(app, other, "Next", "after");
  await app.store.conversations.update(conversationId, { leafId: shown ?? "" });
  held.resolve();
  await ended(app, other);
  expect((await askedAfter(app, other)).status).toBe("completed");
  expect(await leaf()).toBe(shown);
});

test("the same message sent as a question gives the run that has read it", async () => {
  const held = Promise.withResolvers<void>();
  const app = await startAlone([held.promise, ...looks], says("Done."));
  const run = await askHeld(app);
  await send(app, run, "Faster.", "next_turn");
  held.resolve();
  await ended(app, run);
  const again = {
    conversationId: run.conversationId,
    clientMessageId: "Faster.",
    message: { text: "Faster." },
  };
  expect((await chat(app, user, again)).id).toBe(run.id);
  expect((await wordsOf(app, run)).filter((words) => words === "Faster.")).toHaveLength(1);
});
