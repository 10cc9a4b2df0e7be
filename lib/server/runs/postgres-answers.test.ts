import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { chat } from "@/lib/server/conversations/chat";
import { deleteConversation } from "@/lib/server/conversations/delete-conversation";
import { readRules } from "@/lib/server/settings/tool-rules";
import { openBeside } from "@/lib/server/testing/open-beside";
import { ask, ended, historyOf, nextOf, questionsOf, stored, user } from "@/lib/server/testing/run-kit";
import type { Process, World } from "@/lib/server/testing/world";
import { ask as askDatabase } from "@/lib/store/testing/postgres-server";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { recoverRuns } from "./recover-runs";
import { stopRun } from "./stop-run";

const done = [text("Done."), stop("end_turn")];
const approve = (requestId: string) => ({ requestId, decision: "approve" as const });
/** One call asks, and the other goes on as long as it is held. */
const asks = (...ids: string[]) => [
  ...ids.map((id) => call(id, "desk__work")),
  call("z", "desk__look"),
  stop("tool_use"),
];

/** A run that goes on, with as many open questions. Gives also how to let its other call end. */
async function askedLive({ one, world }: { one: Process; world: World }, count = 1) {
  const open = world.desk.hold();
  const run = await ask(one);
  await world.desk.came(1);
  await expect.poll(() => questionsOf(one, run)).toHaveLength(count);
  return { run, open };
}

const codesOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === "fulfilled" ? "ok" : outcome.reason.code)).toSorted();

const commandsIn = (url: string) => askDatabase(url, "select kind, outcome from run_command");

test("an answer through another process is taken by the run that goes on, and its call goes at once", async () => {
  const two = await openBeside(asks("a"), done);
  const { run, open } = await askedLive(two);
  expect(await answerRun(two.other, run, approve("a"))).toEqual({ runId: run.id });
  await two.world.desk.came(2);
  open();
  expect(await ended(two.one, run)).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect(await commandsIn(two.url)).toEqual([]);
});

test("what is allowed for good through another process is kept, and answers the other questions of its kind", async () => {
  const two = await openBeside(asks("a", "b"), done);
  const { run, open } = await askedLive(two, 2);
  await answerRun(two.other, run, { requestId: "a", decision: "approve_always" });
  await two.world.desk.came(3);
  open();
  expect((await ended(two.one, run)).status).toBe("completed");
  expect(await readRules(two.one, user)).toMatchObject([{ pattern: "mcp:desk:work", effect: "allow" }]);
});

test("the same answer through both processes at once counts once", async () => {
  const two = await openBeside(asks("a"), done);
  const { run, open } = await askedLive(two);
  const outcomes = await Promise.allSettled(
    [two.other, two.one, two.other].map((deps) => answerRun(deps, run, approve("a"))),
  );
  expect(codesOf(outcomes)).toEqual(["already_answered", "already_answered", "ok"]);
  open();
  await ended(two.one, run);
  expect(two.world.desk.calls.map(({ name }) => name).toSorted()).toEqual(["look", "work"]);
});

test("what a run does not take is refused with the same words through either process", async () => {
  const two = await openBeside(asks("a"), done);
  const { run, open } = await askedLive(two);
  const refusals = await Promise.allSettled(
    [two.one, two.other].flatMap((deps) => [
      answerRun(deps, run, { requestId: "a", action: "accept" }),
      answerRun(deps, run, approve("nothing")),
      answerRun(
        deps,
        run,
        { requestId: "a", decision: "approve_always" },
        { mayAccept: false, mayAllowForGood: false },
      ),
    ]),
  );
  const reasons = refusals.map((refusal) => (refusal.status === "rejected" ? refusal.reason : undefined));
  const said = reasons.map(({ status, code, message }) => ({ status, code, message }));
  expect(said.slice(3)).toEqual(said.slice(0, 3));
  expect(said.map(({ status }) => status)).toEqual([400, 409, 403, 400, 409, 403]);
  open();
  await answerRun(two.other, run, approve("a"));
  expect((await ended(two.one, run)).status).toBe("completed");
});

/** A run that waits for a form, whose call is under way. */
async function askedForm({ one }: { one: Process }) {
  const run = await ended(one, await ask(one));
  const [{ requestId = "" } = {}] = await questionsOf(one, run);
  return { run, requestId };
}

const form = [call("a", "desk__form"), stop("tool_use")];
const filled = (requestId: string) => ({ requestId, action: "accept" as const, content: { city: "Kyoto" } });

test("the answer to a form goes to the call that waits for it, in the process that has sent it", async () => {
  const two = await openBeside(form, done);
  const { run, requestId } = await askedForm(two);
  expect(run.heldBy).toBe(two.one.store.members.id);
  const { runId } = await answerRun(two.other, run, filled(requestId));
  expect(await ended(two.one, { id: runId ?? "" })).toMatchObject({ status: "completed", continues: run.id });
  expect((await historyOf(two.one, run)).at(-2)).toMatchObject({ results: [{ id: "a", status: "ok" }] });
  expect(two.world.desk.calls).toHaveLength(1);
  await expect(answerRun(two.other, run, filled(requestId))).rejects.toMatchObject({
    code: "already_answered",
  });
});

test("where the process that has sent the call is gone, what is safe to repeat is sent again, and asks again", async () => {
  const two = await openBeside(form, done);
  const { run, requestId } = await askedForm(two);
  await askDatabase(two.url, `update run set held_by = 'gone' where id = '${run.id}'`);
  const { runId } = await answerRun(two.other, await stored(two.other, run.id), filled(requestId));
  expect((await ended(two.other, { id: runId ?? "" })).status).toBe("waiting");
  expect(await questionsOf(two.other, { id: runId ?? "" })).toMatchObject([{ message: "Where?" }]);
  expect(two.world.desk.calls).toHaveLength(2);
});

test.each([
  ["is stopped", (deps: Process, run: RunRow) => stopRun(deps, run)],
  [
    "is left for another question",
    (deps: Process, { conversationId }: RunRow) =>
      chat(deps, user, { conversationId, message: { text: "Never mind." } }),
  ],
  [
    "is deleted with its conversation",
    (deps: Process, { conversationId }: RunRow) => deleteConversation(deps, user, conversationId),
  ],
] as const)(
  "a run that waits for a form and %s through another process gives its call up",
  async (_, leave) => {
    const two = await openBeside(form, done);
    const { run } = await askedForm(two);
    await leave(two.other, run);
    await expect.poll(() => two.world.desk.cancelled).toBe(1);
    expect(two.one.inFlight.has("a")).toBe(false);
  },
);

test("a run that waits needs no process: who is given the last answer goes on with it", async () => {
  const two = await openBeside([call("a", "desk__work"), call("b", "desk__work"), stop("tool_use")], done);
  const run = await ended(two.one, await ask(two.one));
  await two.one.store.quiet();
  expect(await answerRun(two.one, run, approve("a"))).toEqual({ runId: null, pending: 1 });
  const { runId } = await answerRun(two.other, run, approve("b"));
  expect(two.one.runs.get(runId ?? "")).toBeUndefined();
  expect(await two.one.store.runs.ownerOf(runId ?? "")).toBe(two.other.store.members.id);
  expect((await ended(two.other, { id: runId ?? "" })).status).toBe("completed");
  expect(await commandsIn(two.url)).toEqual([]);
});

test("of two who answer the last question of a run that waits, one goes on with it", async () => {
  const two = await openBeside([call("a", "desk__work"), stop("tool_use")], done);
  const run = await ended(two.one, await ask(two.one));
  const outcomes = await Promise.allSettled(
    [two.one, two.other].map((deps) => answerRun(deps, run, approve("a"))),
  );
  expect(codesOf(outcomes)).toEqual(["already_answered", "ok"]);
  for (const { runs } of [two.one, two.other]) await Promise.all(runs.all().map((live) => live.ended));
  expect((await nextOf(two.one, run))?.status).toBe("completed");
  expect(two.world.desk.calls).toHaveLength(1);
});

test("an answer to a run whose process is gone is refused by whoever takes it over", async () => {
  const two = await openBeside(asks("a"), done);
  const { run, open } = await askedLive(two);
  two.one.store.kill();
  const answers = Promise.allSettled([
    answerRun(two.other, run, approve("a")),
    answerRun(two.other, run, approve("a")),
  ]);
  await expect.poll(() => commandsIn(two.url)).toHaveLength(2);
  await askDatabase(two.url, `delete from instance where id = '${two.one.store.members.id}'`);
  expect(await recoverRuns(two.other)).toBe(1);
  expect(codesOf(await answers)).toEqual(["run_interrupted", "run_interrupted"]);
  expect(await stored(two.other, run.id)).toMatchObject({ status: "interrupted" });
  await expect(answerRun(two.other, run, approve("a"))).rejects.toMatchObject({ code: "already_answered" });
  open();
});

test("where the process of a run does not respond, 503 says so, and nothing is done later", async () => {
  const two = await openBeside(asks("a"), done);
  const { run, open } = await askedLive(two);
  two.one.store.kill();
  await expect(answerRun(two.other, run, approve("a"))).rejects.toMatchObject({
    status: 503,
    code: "not_answering",
    retryAfterSeconds: 5,
  });
  expect(await commandsIn(two.url)).toEqual([]);
  open();
});

test("a history that was answered through another process reads as any other one", async () => {
  const two = await openBeside(asks("a"), done);
  const { run, open } = await askedLive(two);
  await answerRun(two.other, run, { requestId: "a", decision: "deny", reason: "Not today." });
  open();
  await ended(two.one, run);
  expect((await historyOf(two.other, run)).at(-2)).toMatchObject({
    results: [
      { id: "a", status: "denied", content: [{ text: "Not today." }] },
      { id: "z", status: "ok" },
    ],
  });
});
