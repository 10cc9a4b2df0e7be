import { expect, test, vi } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { chat } from "@/lib/server/conversations/chat";
import { editAnswer } from "@/lib/server/conversations/edit-answer";
import { changeQueued, queueMessage, stopAndAsk } from "@/lib/server/conversations/queued-messages";
import { openBeside } from "@/lib/server/testing/open-beside";
import { ask, ended, historyOf, kindsOf, logOf, stored, user } from "@/lib/server/testing/run-kit";
import type { Process } from "@/lib/server/testing/world";
import { StoreError } from "@/lib/store/errors";
import { ask as askDatabase } from "@/lib/store/testing/postgres-server";
import type { RunRow } from "@/lib/store/types";
import { resumeRun } from "./resume-run";
import { toRunDetail } from "./run-item";
import { setStep } from "./set-step";
import { cancelCall } from "./stop-run";
import { takePlanBack } from "./take-plan-back";

const never = new Promise<never>(() => {});
const done = [text("Done."), stop("end_turn")];
const looks = [call("z", "desk__look"), stop("tool_use")];
const say = (words: string, when: "next_turn" | "after" = "next_turn") => ({
  ...{ text: words, attachments: [], when, clientMessageId: `m-${words}` },
});

const refusalOf = async (work: Promise<unknown>) => {
  const { status, code, message } = await work.then(
    () => ({ status: 200, code: "ok", message: "" }),
    (cause) => cause,
  );
  return { status, code, message };
};

/** What both say of the same. */
async function refusals(two: { one: Process; other: Process }, work: (deps: Process) => Promise<unknown>) {
  return [await refusalOf(work(two.one)), await refusalOf(work(two.other))];
}

test("one call is cancelled through another process, and one that has ended is refused as here", async () => {
  const two = await openBeside(looks, done);
  two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  await cancelCall(two.other, run, "z");
  expect((await ended(two.one, run)).status).toBe("completed");
  expect((await historyOf(two.other, run)).at(-2)).toMatchObject({
    results: [{ id: "z", status: "unknown" }],
  });
  await expect.poll(() => two.world.desk.cancelled).toBe(1);
  const [here, there] = await refusals(two, (deps) => cancelCall(deps, run, "z"));
  expect(there).toEqual(here);
  expect(here).toMatchObject({ status: 409, code: "not_running" });
});

test("what was done and could not be answered is not done again: it is answered once it can be", async () => {
  const two = await openBeside(looks, done);
  two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  const { commands } = two.one.store;
  if (!commands) throw new Error("There are no others.");
  const answer = vi.spyOn(commands, "settle").mockRejectedValueOnce(new StoreError("io", "away"));
  expect(await cancelCall(two.other, run, "z")).toBeNull();
  expect(answer).toHaveBeenCalledTimes(2);
  expect((await ended(two.one, run)).status).toBe("completed");
});

test("step mode that is switched on through another process holds the next turn", async () => {
  const two = await openBeside(looks, done);
  const open = two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  const row = await stored(two.other, run.id);
  await setStep(two.other, row, true);
  expect(row.options.step).toBe(true);
  open();
  expect((await ended(two.one, run)).status).toBe("waiting");
  expect(await kindsOf(two.one, run)).toMatch(/step_request/);
  const [here, there] = await refusals(two, async (deps) =>
    setStep(deps, { ...row, id: "no-such-run" }, true),
  );
  expect(there).toEqual(here);
});

test("who takes a plan back that there is not reads the same through either process", async () => {
  const two = await openBeside(looks, done);
  const open = two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  const [here, there] = await refusals(two, (deps) => takePlanBack(deps, run));
  expect(there).toEqual(here);
  expect(here).toMatchObject({ status: 409, code: "no_plan" });
  open();
  await ended(two.one, run);
  const after = await refusals(two, (deps) => takePlanBack(deps, run));
  expect(after[1]).toEqual(after[0]);
  expect(after[0]).toMatchObject({ code: "run_ended" });
});

test("a run that goes on elsewhere is not resumed, and one that was stopped is, by whoever is asked", async () => {
  const two = await openBeside([text("Half "), never], done);
  const run = await ask(two.one);
  await expect.poll(() => kindsOf(two.one, run)).toBe("iteration text");
  const [here, there] = await refusals(two, (deps) => resumeRun(deps, run));
  expect(there).toEqual(here);
  expect(here).toMatchObject({ code: "run_active" });
  two.one.runs.get(run.id)?.abort.abort();
  const cut = await ended(two.one, run);
  const both = await Promise.allSettled([two.one, two.other].map((deps) => resumeRun(deps, cut)));
  expect(both.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const { runs } of [two.one, two.other]) await Promise.all(runs.all().map((live) => live.ended));
  const rows = await two.one.store.runs.ofMessage(run.conversationId, run.messageId);
  expect(rows.map(({ status }) => status)).toEqual([expect.anything(), "completed"]);
});

test("what is said through another process reaches the next turn of the run", async () => {
  const two = await openBeside(looks, done);
  const open = two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  await queueMessage(two.other, run, say("Be brief."));
  open();
  expect((await ended(two.one, run)).status).toBe("completed");
  const said = (await logOf(two.one, run)).filter(({ type }) => type === "message");
  expect(said).toMatchObject([{ message: { parts: [{ text: "Be brief." }] } }]);
});

test("what is to be asked after the answer is asked by the process that has written it", async () => {
  const two = await openBeside(looks, done, done);
  const open = two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  await queueMessage(two.other, run, say("And then?", "after"));
  open();
  await ended(two.one, run);
  await expect
    .poll(async () => (await two.other.store.conversations.get(user, run.conversationId))?.lastRun?.status)
    .toBe("completed");
  await expect.poll(() => two.world.turns).toHaveLength(3);
});

test("a message that is moved to the next turn through another process is said in it", async () => {
  const two = await openBeside(looks, done);
  const open = two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  const { id } = await queueMessage(two.one, run, say("Later.", "after"));
  const live = two.one.runs.get(run.id);
  if (live) live.mayBeSteered = false;
  await changeQueued(two.other, run, id, { when: "next_turn" });
  expect(live?.mayBeSteered).toBe(true);
  open();
  await ended(two.one, run);
  expect((await logOf(two.one, run)).filter(({ type }) => type === "message")).toHaveLength(1);
});

test("Stop with a next question through another process ends the run, and asks the question once", async () => {
  const two = await openBeside([text("Half "), never], done);
  const run = await ask(two.one);
  await expect.poll(() => kindsOf(two.one, run)).toBe("iteration text");
  const then = { text: "Rather this.", attachments: [], clientMessageId: "next" };
  const outcomes = await Promise.all([two.one, two.other].map((deps) => stopAndAsk(deps, run, then)));
  expect(outcomes[1]).toEqual(outcomes[0]);
  expect((await stored(two.other, run.id)).status).toBe("stopped");
  for (const { runs } of [two.one, two.other]) await Promise.all(runs.all().map((live) => live.ended));
  expect(two.world.turns).toHaveLength(2);
});

test("what one process could not ask waits behind the question that is asked through the other one", async () => {
  const two = await openBeside(looks, done, done, done);
  const open = two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  const { id } = await queueMessage(two.one, run, say("And then?", "after"));
  two.one.runs.draining = true;
  open();
  expect((await ended(two.one, run)).status).toBe("completed");
  const { conversationId } = run;
  const next = await chat(two.other, user, { conversationId, message: { text: "This first." } });
  await ended(two.other, next);
  await expect.poll(async () => (await two.other.store.queue.get(user, id))?.runId).toBeTruthy();
  await expect.poll(() => two.world.turns.length).toBe(4);
  for (const live of two.other.runs.all()) await live.ended;
  expect(two.world.turns).toHaveLength(4);
});

test("a run is told of with its turns and questions although another process drives it", async () => {
  const two = await openBeside([call("a", "desk__work"), ...looks]);
  const open = two.world.desk.hold();
  const run = await ask(two.one);
  await two.world.desk.came(1);
  await expect.poll(() => kindsOf(two.one, run)).toMatch(/approval_request/);
  await two.one.runs.get(run.id)?.flush();
  const [here, there] = await Promise.all(
    [two.one, two.other].map(async (deps) => toRunDetail(deps, await stored(deps, run.id))),
  );
  expect(there).toEqual(here);
  expect(there?.pending).toHaveLength(1);
  open();
});

test("one run goes on at one place: through the other process a second one is refused, and so is an edit", async () => {
  const two = await openBeside(done, [text("Half "), never]);
  const { conversationId } = await ended(two.one, await ask(two.one));
  const leaf = (await two.one.store.conversations.get(user, conversationId))?.leafId ?? "";
  const live = await chat(two.one, user, { conversationId, message: { text: "And then?" } });
  await expect.poll(() => kindsOf(two.one, live)).toBe("iteration text");
  const again = { conversationId, regenerate: live.messageId };
  await expect(chat(two.other, user, again)).rejects.toMatchObject({ status: 409, code: "run_active" });
  const edit = { edits: leaf, text: "Otherwise." };
  const [here, there] = await refusals(two, (deps) => editAnswer(deps, user, conversationId, edit));
  expect(there).toEqual(here);
  expect(here?.status).toBe(409);
  expect(two.world.turns).toHaveLength(2);
});

test("a kind that this version does not know is refused", async () => {
  const two = await openBeside([text("Half "), never]);
  const run: RunRow = await ask(two.one);
  await expect.poll(() => kindsOf(two.one, run)).toBe("iteration text");
  const { commands } = two.other.store;
  expect(await commands?.give({ id: "c1", runId: run.id, kind: "from_later", body: "null" })).toBe("given");
  const outcomes = () => askDatabase(two.url, "select outcome from run_command");
  await expect.poll(outcomes).toMatchObject([{ outcome: expect.stringContaining('"other_version"') }]);
});
