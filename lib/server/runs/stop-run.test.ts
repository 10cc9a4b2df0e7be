import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { LiveRuns } from "@/lib/server/loop/live-runs";
import { ask, ended, historyOf, kindsOf, nextOf, stored } from "@/lib/server/testing/run-kit";
import { restart, startAlone } from "@/lib/server/testing/world";
import { answerRun } from "./answer-run";
import { resumeRun } from "./resume-run";
import { cancelCall, drainRuns, stopRun } from "./stop-run";

const never = new Promise<never>(() => {});
const works = (...ids: string[]) => [...ids.map((id) => call(id, "desk__work")), stop("tool_use")];
const done = [text("Done."), stop("end_turn")];
const approve = (requestId: string) => ({ requestId, decision: "approve" as const });

test("Stop ends a live run: the model is left, what it said is kept, and the end is stored when Stop is answered", async () => {
  const app = await startAlone([text("Once upon "), never]);
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toBe("iteration text");
  await stopRun(app, run);
  expect(await stored(app, run.id)).toMatchObject({
    ...{ status: "stopped", result: { stopReason: "aborted", finalText: "Once upon " } },
  });
  expect(app.world.turns[0]?.signal.aborted).toBe(true);
});

test("Stop gives up a call that was sent: its server hears of it, and its outcome is unknown", async () => {
  const app = await startAlone([call("a", "desk__look"), stop("tool_use")]);
  app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  await stopRun(app, run);
  expect((await historyOf(app, run)).at(-1)).toMatchObject({
    role: "tool",
    results: [{ id: "a", status: "unknown" }],
  });
  await expect.poll(() => app.world.desk.cancelled).toBe(1);
});

test('Stop calls no call "not run" that an earlier run of the chain has sent', async () => {
  const app = await startAlone([call("a", "desk__work"), call("b", "desk__look"), stop("tool_use")]);
  app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  await expect.poll(() => kindsOf(app, run)).toMatch(/approval_request/);
  await answerRun(app, run, approve("a"));
  await app.world.desk.came(2);
  const next = await restart(app);
  // `look` is repeated, and while it is out the other is asked about.
  const resumed = await resumeRun(next, await stored(next, run.id));
  await app.world.desk.came(3);
  await expect.poll(() => kindsOf(next, resumed)).toMatch(/approval_request/);
  await stopRun(next, resumed);
  expect((await historyOf(next, run)).at(-1)).toMatchObject({
    results: [
      { id: "a", status: "unknown" },
      { id: "b", status: "unknown" },
    ],
  });
});

test("Stop of a run that waits denies its calls, and its questions are void", async () => {
  const app = await startAlone(works("a"));
  const run = await ended(app, await ask(app));
  await stopRun(app, run);
  expect((await stored(app, run.id)).status).toBe("stopped");
  expect((await historyOf(app, run)).at(-1)).toMatchObject({
    role: "tool",
    results: [{ id: "a", status: "denied" }],
  });
  await expect(answerRun(app, run, approve("a"))).rejects.toMatchObject({ code: "already_answered" });
  expect(app.world.desk.calls).toEqual([]);
});

test("Stop of a run that has ended changes nothing", async () => {
  const app = await startAlone(done);
  const run = await ended(app, await ask(app));
  await stopRun(app, run);
  expect(await stored(app, run.id)).toEqual(run);
});

test("Stop beside an answer that is on its way stops the run that the answer starts", async () => {
  const app = await startAlone(works("a"), done);
  const run = await ended(app, await ask(app));
  app.world.desk.hold();
  const begin = app.store.hold("runs.begin");
  const answering = answerRun(app, run, approve("a"));
  await begin.reached;
  // Nothing is live yet, and the run still waits.
  const stopping = stopRun(app, run);
  begin.release();
  const { runId } = await answering;
  await stopping;
  const next = await stored(app, runId ?? "");
  expect(next).toMatchObject({ status: "stopped", continues: run.id, result: { stopReason: "aborted" } });
  expect(app.runs.count).toBe(0);
  expect(app.world.turns).toHaveLength(1);
});

test("a page that has not heard of the answer stops by the old id, over several answers", async () => {
  const app = await startAlone(works("a"), works("b"), [text("Now "), never]);
  const first = await ended(app, await ask(app));
  const second = await answerRun(app, first, approve("a"));
  const waiting = await ended(app, { id: second.runId ?? "" });
  const third = await answerRun(app, waiting, approve("b"));
  await expect.poll(() => kindsOf(app, { id: third.runId ?? "" })).toMatch(/text$/);
  await stopRun(app, first);
  expect(await stored(app, third.runId ?? "")).toMatchObject({ status: "stopped" });
});

test("a drain lets runs end by themselves, and marks those that do not as interrupted", async () => {
  const gate = Promise.withResolvers<void>();
  const app = await startAlone([text("Short."), gate.promise, stop("end_turn")], [text("Long "), never]);
  const short = await ask(app);
  const long = await ask(app);
  await expect.poll(() => kindsOf(app, long)).toBe("iteration text");
  const drained = drainRuns(app, 300);
  gate.resolve();
  await drained;
  expect(await stored(app, short.id)).toMatchObject({ status: "completed" });
  expect(await stored(app, long.id)).toMatchObject({
    ...{ status: "interrupted", result: { stopReason: "interrupted", finalText: "Long " } },
  });
  await expect(answerRun(app, long, approve("a"))).rejects.toMatchObject({ status: 409 });
  expect(await nextOf(app, long)).toBeUndefined();
});

test("a drain waits for what was admitted before it and is still beginning", async () => {
  const runs = new LiveRuns();
  const begun = Promise.withResolvers<string>();
  const order: string[] = [];
  const beginning = runs.admit(() => begun.promise).then((what) => order.push(what));
  await expect.poll(() => runs.isIdle).toBe(false);
  const drained = drainRuns({ runs }, 20_000).then(() => order.push("drained"));
  await expect(runs.admit(async () => "late")).rejects.toMatchObject({ status: 503, code: "draining" });
  await new Promise((resolve) => setTimeout(resolve, 50));
  begun.resolve("begun");
  await Promise.all([beginning, drained]);
  expect(order).toEqual(["begun", "drained"]);
});

test("a call that is given up is told to its server, the others come back, and the run goes on", async () => {
  const app = await startAlone(
    [call("a", "desk__look", { n: 1 }), call("b", "desk__look", { n: 2 }), stop("tool_use")],
    [text("One of two."), stop("end_turn")],
  );
  const open = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(2);
  await cancelCall(app, run, "a");
  await expect.poll(() => app.world.desk.cancelled).toBe(1);
  open();
  expect(await ended(app, run)).toMatchObject({ status: "completed", result: { finalText: "One of two." } });
  expect((await historyOf(app, run)).at(-2)).toMatchObject({
    results: [
      { id: "a", status: "unknown" },
      { id: "b", status: "ok" },
    ],
  });
});

test("only a call that is under way in this run can be given up", async () => {
  const app = await startAlone(
    [call("a", "desk__work"), call("b", "desk__look"), stop("tool_use")],
    [text("Done."), stop("end_turn")],
  );
  const open = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  const refusal = expect.objectContaining({ status: 409, code: "not_running" });
  for (const [id, callId] of [
    [run.id, "a"],
    [run.id, "another"],
    ["another", "b"],
  ] as const)
    await expect(cancelCall(app, { ...run, id }, callId), `${id} ${callId}`).rejects.toEqual(refusal);
  open();
  await ended(app, run);
  await expect(cancelCall(app, run, "b")).rejects.toEqual(refusal);
  expect(app.world.desk.cancelled).toBe(0);
});
