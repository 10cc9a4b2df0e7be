import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import {
  ask,
  ended,
  historyOf,
  kindsOf,
  logOf,
  questionsOf,
  resultOf,
  stored,
} from "@/lib/server/testing/run-kit";
import { restart, type Script, startAlone } from "@/lib/server/testing/world";
import { answerRun } from "./answer-run";
import { resumeRun } from "./resume-run";
import { stopRun } from "./stop-run";

const never = new Promise<never>(() => {});
const works = (id: string, args = {}) => [call(id, "desk__work", args), stop("tool_use")];
const done = [text("Done."), stop("end_turn")];
const approve = (requestId: string) => ({ requestId, decision: "approve" as const });
const codeOf = (outcome: PromiseSettledResult<unknown>) =>
  outcome.status === "fulfilled" ? "ok" : outcome.reason.code;

async function interrupted(...rest: Script) {
  const app = await startAlone([text("Half "), never], ...rest);
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toBe("iteration text");
  const next = await restart(app);
  return { app: next, run: await stored(next, run.id) };
}

test("an interrupted run is asked for again from its question; what was cut off stays beside it", async () => {
  const { app, run } = await interrupted(done);
  const next = await ended(app, await resumeRun(app, run));
  expect(next).toMatchObject({ status: "completed", continues: run.id, result: { finalText: "Done." } });
  expect(app.world.turns[1]?.history).toEqual(app.world.turns[0]?.history);
  expect(await historyOf(app, run)).toMatchObject([{ role: "user" }, { parts: [{ text: "Done." }] }]);
});

test("a run is continued once: while the next one goes on, and after it has ended", async () => {
  const { app, run } = await interrupted(done, done);
  const both = await Promise.allSettled([resumeRun(app, run), resumeRun(app, run), resumeRun(app, run)]);
  expect(both.map(codeOf)).toEqual(["ok", "run_continued", "run_continued"]);
  const [first] = both;
  if (first?.status === "fulfilled") await ended(app, first.value);
  await expect(resumeRun(app, run)).rejects.toMatchObject({ status: 409, code: "run_continued" });
  expect(app.world.turns).toHaveLength(2);
});

test("what has not ended, is complete or was answered is not resumed, and says what to do instead", async () => {
  const app = await startAlone(works("a"), [text("Half "), never], done);
  const waiting = await ended(app, await ask(app));
  await expect(resumeRun(app, waiting)).rejects.toMatchObject({ code: "run_active" });
  const { runId } = await answerRun(app, waiting, approve("a"));
  await expect(resumeRun(app, waiting)).rejects.toMatchObject({ code: "already_answered" });
  const live = await stored(app, runId ?? "");
  await expect(resumeRun(app, live)).rejects.toMatchObject({ code: "run_active" });
  await expect.poll(() => kindsOf(app, live)).toMatch(/ text$/);
  await stopRun(app, live);
  const next = await ended(app, await resumeRun(app, live));
  await expect(resumeRun(app, next)).rejects.toMatchObject({ code: "run_complete" });
  expect(app.world.desk.calls).toHaveLength(1);
});

test("after the limit of turns a person's word gives as many again", async () => {
  const looks = (id: string) => [call(id, "desk__look"), stop("tool_use")];
  const app = await startAlone(looks("a"), looks("b"), done);
  const run = await ended(app, await ask(app, { maxIterations: 1 }));
  expect(run).toMatchObject({ status: "completed", result: { stopReason: "max_iterations" } });
  const next = await ended(app, await resumeRun(app, run));
  expect(next.result).toMatchObject({ stopReason: "max_iterations", iterationsUsed: 1 });
  expect(app.world.turns[1]?.history.slice(1)).toEqual((await resultOf(app, run)).historyDelta);
});

test("a call that was out is asked about with the arguments that were sent, and goes again only when told", async () => {
  const app = await startAlone(works("a", { n: 1 }), done);
  const run = await ended(app, await ask(app));
  const open = app.world.desk.hold();
  const { runId } = await answerRun(app, run, { ...approve("a"), args: { n: 2 } });
  await app.world.desk.came(1);
  const later = await restart(app);
  const cut = await stored(later, runId ?? "");
  expect(cut).toMatchObject({ status: "interrupted", continues: run.id });
  const asking = await ended(later, await resumeRun(later, cut));
  expect(asking).toMatchObject({ status: "waiting", continues: cut.id });
  expect(await questionsOf(later, asking)).toMatchObject([
    { reason: "outcome_unknown", call: { id: "a", args: { n: 2 } } },
  ]);
  expect(later.world.desk.calls).toHaveLength(1);
  open();
  const told = await answerRun(later, asking, { requestId: "a", decision: "retry" });
  const next = await ended(later, { id: told.runId ?? "" });
  expect(next).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect(later.world.desk.calls.map(({ args }) => args)).toEqual([{ n: 2 }, { n: 2 }]);
});

test("what a person allowed for the run holds in a run that continues a continuation", async () => {
  const app = await startAlone(works("a"), [text("Half "), never], works("b"), done);
  const first = await ended(app, await ask(app));
  const { runId } = await answerRun(app, first, { requestId: "a", decision: "approve_run" });
  await expect.poll(() => kindsOf(app, { id: runId ?? "" })).toMatch(/ text$/);
  const later = await restart(app);
  const cut = await stored(later, runId ?? "");
  const next = await ended(later, await resumeRun(later, cut));
  expect(next).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect((await logOf(later, next)).map(({ type }) => type)).not.toContain("approval_request");
  expect(later.world.desk.calls).toHaveLength(2);
});
