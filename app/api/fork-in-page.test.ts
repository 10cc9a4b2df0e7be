import { afterAll, beforeAll, expect, test } from "vitest";
import { type ForkRequest, startFork } from "@/lib/client/conversation/fork-answer";
import { canForkAt, isKept, messagesToTurns } from "@/lib/client/run/messages-to-turns";
import { openRunView, reduceRun } from "@/lib/client/run/reduce-run";
import type { LoopView } from "@/lib/client/run/run-view";
import { callTools, say } from "@/lib/providers/testing/steps";
import { callApi, readStream } from "./testing/call-api";
import { answer, type ask, chat, detail, follow, model, run, script, write } from "./testing/fork";

/* Forks as the page asks for them: from the loops of an answer, by no number of an event. */

const realFetch = globalThis.fetch;
beforeAll(() => {
  // In a browser the page's own address stands before every path.
  globalThis.fetch = (path, init) => callApi(init?.method ?? "GET", String(path), init?.body ?? undefined);
});
afterAll(() => {
  globalThis.fetch = realFetch;
});

/** The planner, then the worker, who writes a file and needs a yes for it. */
async function planned() {
  script.turns = [[say("1. Write it.")], [say("Now."), callTools(write)]];
  const first = await readStream(await chat({ message: { text: "Do it" }, agent: "plan" }));
  expect(first.status).toBe("waiting");
  script.turns = [[say("It is written.")]];
  const last = await follow(await answer(first.runId, "approve"));
  expect(last.status).toBe("completed");
  return { first, last };
}

const turnOf = async (conversationId: string) => {
  const { messages, runs } = await detail(conversationId);
  const turn = messagesToTurns(messages, runs).at(-1)?.answer;
  return turn ?? expect.fail("no answer");
};
const wordsOf = ({ agent, items }: LoopView) =>
  `${agent}: ${items.map((item) => (item.kind === "text" ? item.text : item.kind)).join(" ")}`;

/** Asks for a fork as the page does, and follows it to its end. */
async function forkAs(request: ForkRequest, ...turns: Parameters<typeof ask>) {
  script.turns = turns;
  const before = model.requests.length;
  const { conversationId } = await startFork(request);
  const { runs } = await detail(conversationId);
  const read = await follow(runs.at(-1)?.id ?? "");
  const asked = model.requests
    .slice(before)
    .map(({ body }) => (JSON.stringify(body).includes("Carry out this plan") ? "worker" : "planner"));
  return { ...read, asked };
}

test("a turn is found in the run of the chain whose log has it, and the agents before it are not asked again", async () => {
  const { first, last } = await planned();
  const { view } = await turnOf(last.conversationId);
  expect(view.loops.map(wordsOf)).toEqual([
    "plan/planner: 1. Write it.",
    "plan/worker: Now. tool",
    "plan/worker: It is written.",
  ]);
  expect(view.loops.every((loop) => canForkAt(loop, undefined))).toBe(true);
  const [, calls] = view.loops;
  if (!calls) expect.fail("no loop");
  // It is the second run that has stored what the first has asked for.
  expect([calls.runId, first.runId === last.runId]).toEqual([last.runId, false]);
  const call = calls.items.find((item) => item.kind === "tool");
  const edit = { callId: call?.id ?? expect.fail("no call"), result: byHand("Disk full.") };
  const second = await forkAs({ loop: calls, edit }, [say("It failed.")]);
  expect([second.status, second.asked]).toEqual(["completed", ["worker"]]);
  expect((await run(second.runId)).forkedFrom).toMatchObject({ runId: first.runId, agent: "plan/worker" });

  const { view: now, fork, isEdited } = await turnOf(second.conversationId);
  expect(isEdited).toBe(false);
  expect(now.loops.map(wordsOf)).toEqual([
    "plan/planner: 1. Write it.",
    "plan/worker: Now. tool",
    "plan/worker: It failed.",
  ]);
  expect(now.loops.map((loop) => isKept(fork, loop))).toEqual([true, true, false]);
  // As its stream has told it, and as it is read anew.
  const streamed = second.chunks.reduce(reduceRun, openRunView(second.runId));
  expect(streamed.loops.map(({ copied }) => copied === true)).toEqual([true, true, false]);
});

test("words of an agent in the middle give way to a person's, the workflow goes on, and that fork is forked again", async () => {
  const { last } = await planned();
  const { view } = await turnOf(last.conversationId);
  const [plan] = view.loops;
  if (!plan) expect.fail("no loop");
  const fork = await forkAs({ loop: plan, edit: { text: "1. Do nothing." } }, [say("Done nothing.")]);
  expect([fork.status, fork.asked]).toEqual(["completed", ["worker"]]);
  const turn = await turnOf(fork.conversationId);
  expect(turn).toMatchObject({ isEdited: false, fork: { from: { edit: { part: "text" } } } });
  expect(turn.view.loops.map(wordsOf)).toEqual([
    "plan/planner: 1. Do nothing.",
    "plan/worker: Done nothing.",
  ]);

  const [copy] = turn.view.loops;
  if (!copy) expect.fail("no loop");
  expect([isKept(turn.fork, copy), canForkAt(copy, turn.fork)]).toEqual([true, true]);
  const again = await forkAs({ loop: copy }, [say("Once more.")]);
  expect([again.status, again.asked]).toEqual(["completed", ["worker"]]);
  expect((await run(again.runId)).forkedFrom).toMatchObject({ runId: fork.runId, edit: null });
  expect((await turnOf(again.conversationId)).view.loops.map(wordsOf)).toEqual([
    "plan/planner: 1. Do nothing.",
    "plan/worker: Once more.",
  ]);
});

test("a workflow that waits is forked at what it waits for, and the fork says where it is from though it has no message", async () => {
  script.turns = [[say("1. Write it.")], [callTools(write)]];
  const first = await readStream(await chat({ message: { text: "Do it" }, agent: "plan" }));
  const { view } = await turnOf(first.conversationId);
  const loop = view.loops.at(-1) ?? expect.fail("no loop");
  const second = await forkAs({ loop });
  expect([second.status, second.asked]).toEqual(["waiting", []]);
  const waits = await turnOf(second.conversationId);
  expect(waits).toMatchObject({ view: { status: "waiting" }, fork: { runId: second.runId } });
  script.turns = [[say("It is written.")]];
  await follow(await answer(second.runId, "approve"));
  const ended = await turnOf(second.conversationId);
  expect(ended).toMatchObject({ view: { status: "completed" }, fork: { runId: second.runId } });
});

const byHand = (text: string) => ({ status: "ok" as const, content: [{ type: "text" as const, text }] });
