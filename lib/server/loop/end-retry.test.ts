import { expect, onTestFinished, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import { answerRun } from "@/lib/server/runs/answer-run";
import { streamRun } from "@/lib/server/runs/read-run";
import { resumeRun } from "@/lib/server/runs/resume-run";
import { stopRun } from "@/lib/server/runs/stop-run";
import { lockStored } from "@/lib/server/testing/lock-stored";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import {
  ask,
  ended,
  historyOf,
  kindsOf,
  logOf,
  nextOf,
  questionsOf,
  resultOf,
  stored,
} from "@/lib/server/testing/run-kit";
import { openWorld, type Process, startAlone, startProcess, type World } from "@/lib/server/testing/world";
import { StoreError } from "@/lib/store/errors";
import { placeOf } from "@/lib/store/testing/temp-store";
import { openTightStore } from "@/lib/store/testing/tight-store";
import type { LogEvent, RunRow } from "@/lib/store/types";

const done = [text("Done."), stop("end_turn")];
const works = (id: string) => [call(id, "desk__work"), stop("tool_use")];
const approve = (requestId: string) => ({ requestId, decision: "approve" as const });
const full = new StoreError("disk_full", "The file cannot grow; free some space on that disk.");
const notStored = { status: 503, code: "end_not_stored", retryAfterSeconds: 5 };

/** Everything that one reader is sent, from the first event to the last. */
const readAll = (app: Process, run: RunRow) =>
  new Response(streamRun(app, run, 0, new Request("http://127.0.0.1")).body).text();

/** Resolves when the store has refused the end of the run once. */
const refused = (app: Process) => expect.poll(() => app.faults).not.toEqual([]);

test("an end that a full disk refused is stored when there is room, without a restart", async () => {
  const app = await startAlone(done);
  app.store.failing("runs.finish", full);
  const run = await ask(app);
  const read = readAll(app, run);
  await refused(app);
  expect(app.faults).toEqual([{ err: full, runId: run.id }]);
  for (const act of [stopRun, resumeRun]) {
    const tried = app.store.count("runs.finish");
    await expect(act(app, run), act.name).rejects.toMatchObject(notStored);
    expect(app.store.count("runs.finish"), act.name).toBe(tried + 1);
  }
  expect(app.runs.count).toBe(1);
  app.store.failing("runs.finish", undefined);
  // Nobody has to do anything.
  const row = await ended(app, run);
  expect(row).toMatchObject({ status: "completed", result: { stopReason: "end_turn", finalText: "Done." } });
  expect(await kindsOf(app, run)).toBe("iteration text result");
  expect(await read).toMatch(/event: result[\s\S]*event: end\ndata: {"status":"completed"}\n\n$/);
  await expect(resumeRun(app, run)).rejects.toMatchObject({ code: "run_complete" });
  expect(app.runs.count).toBe(0);
  expect(app.faults).toHaveLength(1);
});

test("the same with a real file that cannot grow", async () => {
  const { store, fill, makeRoom } = await openTightStore("records");
  onTestFinished(() => store.close());
  await makeRoom();
  const gate = Promise.withResolvers<void>();
  const long = "word ".repeat(20_000);
  const app = startProcess({ ...(await openWorld([[text(long), gate.promise, stop("end_turn")]])), store });
  const run = await ask(app);
  await fill();
  gate.resolve();
  await refused(app);
  expect(app.faults).toMatchObject([{ err: { code: "disk_full" } }]);
  await makeRoom();
  expect(await ended(app, run)).toMatchObject({ status: "completed", result: { finalText: long } });
  expect(await kindsOf(app, run)).toBe("iteration text result");
});

test("a real log file that cannot grow ends the run with what it holds", async () => {
  const { store, fill, makeRoom } = await openTightStore("log");
  onTestFinished(() => store.close());
  await makeRoom();
  const gate = Promise.withResolvers<void>();
  const pieces = Array.from({ length: 500 }, () => text("word ".repeat(100)));
  const script = [[text("One "), gate.promise, ...pieces, stop("end_turn")]];
  const app = startProcess({ ...(await openWorld(script)), store });
  app.store = Object.assign(app.store, { log: store.log });
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toBe("iteration text");
  await fill();
  gate.resolve();
  await refused(app);
  await makeRoom();
  const row = await ended(app, run);
  expect(row.result).toMatchObject({ stopReason: "error", error: { code: "not_stored" } });
  const { historyDelta } = await resultOf(app, run);
  const log = (await logOf(app, run)).flatMap((chunk) => (chunk.type === "text" ? chunk.content : []));
  expect(historyDelta).toMatchObject([{ parts: [{ text: log.join("") }] }]);
  expect(log.length).toBeLessThan(400);
});

test("the end of a run waits for a lock of another program", async () => {
  const app = await startAlone(done);
  const finish = app.store.hold("runs.finish");
  const run = await ask(app);
  await finish.reached;
  const unlock = await lockStored(await placeOf(app.world.dataDir));
  finish.release();
  await refused(app);
  expect(app.faults).toMatchObject([{ err: { code: "busy" } }]);
  await unlock();
  expect(await ended(app, run)).toMatchObject({ status: "completed", result: { finalText: "Done." } });
});

test("Stop, once there is room again, tries at once and says how the run has ended", async () => {
  const app = await startAlone(done);
  app.store.failing("runs.finish", full);
  const run = await ask(app);
  await refused(app);
  for (let times = 0; times < 6; times++) await stopRun(app, run).catch(() => {});
  app.store.failing("runs.finish", undefined);
  // Its next pause would be longer than this test.
  await stopRun(app, run);
  expect(await stored(app, run.id)).toMatchObject({ status: "completed", result: { finalText: "Done." } });
});

test("a question whose run could not be stored is answered when it can be, and says so before", async () => {
  const app = await startAlone(works("a"), done);
  app.store.failing("runs.finish", full);
  const run = await ask(app);
  await refused(app);
  let refusal: unknown;
  void answerRun(app, run, approve("a")).catch((cause: unknown) => {
    refusal = cause;
  });
  await expect.poll(() => refusal).toMatchObject(notStored);
  app.store.failing("runs.finish", undefined);
  const { runId } = await answerRun(app, run, approve("a"));
  expect(await ended(app, { id: runId ?? "" })).toMatchObject({ status: "completed", continues: run.id });
  expect(app.world.desk.calls).toHaveLength(1);
});

test("a log that cannot be written ends the run in words; readers get its end when the log can be written", async () => {
  const rest = Promise.withResolvers<void>();
  const app = await startAlone([text("One "), rest.promise, text("two "), ...done], done);
  const run = await ask(app);
  const read = readAll(app, run);
  await expect.poll(() => kindsOf(app, run)).toBe("iteration text");
  const second = app.store.hold("log.append");
  rest.resolve();
  await second.reached;
  app.store.failing("log.append", full);
  second.release();
  await refused(app);
  await expect.poll(async () => (await stored(app, run.id)).status).toBe("failed");
  expect(app.runs.count).toBe(1);
  app.store.failing("log.append", undefined);
  const row = await ended(app, run);
  expect(row.result).toMatchObject({ stopReason: "error", finalText: "One ", error: { code: "not_stored" } });
  expect(await kindsOf(app, run)).toBe("iteration text result");
  expect(await read).toMatch(/event: result[\s\S]*event: end\ndata: {"status":"failed"}\n\n$/);
  const next = await ended(app, await resumeRun(app, row));
  expect(next.result).toMatchObject({ stopReason: "end_turn", finalText: "Done." });
});

test("a run whose last words could not be stored does not count as completed, and nothing stands after them", async () => {
  const rest = Promise.withResolvers<void>();
  const app = await startAlone([text("One "), rest.promise, text("two."), stop("end_turn")], done);
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toBe("iteration text");
  const last = app.store.hold("log.append");
  rest.resolve();
  await last.reached;
  last.fail(full);
  const row = await ended(app, run);
  expect(row.result).toMatchObject({ stopReason: "error", finalText: "One ", error: { code: "not_stored" } });
  expect((await readWholeLog(app, run.id)).map(({ seq, data }) => `${seq} ${data.type}`)).toEqual([
    ...["1 iteration", "2 request", "3 text", "4 result"],
  ]);
});

const inOrder = "There nothing of a log is told before what stands before it is committed.";

/** `look` is sent, and what comes back of it cannot be stored; `work` waits to be allowed. */
async function loseResult(): Promise<{ app: Process & { world: World }; run: RunRow }> {
  const app = await startAlone([call("a", "desk__look"), call("b", "desk__work"), stop("tool_use")], done);
  const result = app.store.hold(
    "log.append",
    (_id: string, [event]: LogEvent[]) => event?.data.type === "tool_result",
  );
  const run = await ask(app);
  await result.reached;
  await expect.poll(() => questionsOf(app, run)).toHaveLength(1);
  result.fail(full);
  return { app, run: await ended(app, run) };
}

test("a call that was sent and whose result could not be stored is unknown, and no call stays open", async (context) => {
  onSqlite(context, inOrder);
  const { app, run } = await loseResult();
  expect(run).toMatchObject({ status: "failed", result: { error: { code: "not_stored" } } });
  expect((await historyOf(app, run)).at(-1)).toMatchObject({
    role: "tool",
    results: [
      { id: "a", status: "unknown" },
      { id: "b", status: "error", content: [{ text: expect.stringMatching(/^Not run: /) }] },
    ],
  });
  expect((await logOf(app, run)).slice(-3).map(({ type }) => type)).toEqual([
    "tool_result",
    "tool_result",
    "result",
  ]);
});

test("resuming such a run opens its calls again: the one that may have run is asked about where it could change something", async (context) => {
  onSqlite(context, inOrder);
  const { app, run } = await loseResult();
  const next = await ended(app, await resumeRun(app, run));
  expect(next.status).toBe("waiting");
  // `look` only reads, so it is repeated without a question.
  expect(await questionsOf(app, next)).toMatchObject([{ reason: "rule", call: { id: "b" } }]);
  const { runId } = await answerRun(app, next, approve("b"));
  expect(await ended(app, { id: runId ?? "" })).toMatchObject({ status: "completed" });
  expect(app.world.desk.calls.map(({ name }) => name)).toEqual(["look", "look", "work"]);
});

test("an end that no try can store is given up, and the run leaves the memory", async () => {
  const app = await startAlone(done);
  app.store.failing("runs.finish", new StoreError("conflict", "It has ended already."));
  const run = await ask(app);
  await expect.poll(() => app.runs.count).toBe(0);
  expect(app.store.count("runs.finish")).toBe(2);
  expect(await nextOf(app, run)).toBeUndefined();
});
