import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { completeLog, readWholeLog } from "@/lib/server/loop/stored-run";
import {
  answerAfterLastLook,
  ask,
  ended,
  historyOf,
  kindsOf,
  logOf,
  nextOf,
  resultOf,
  stored,
} from "@/lib/server/testing/run-kit";
import {
  type Process,
  restart as startAgain,
  startAlone,
  startProcess,
  type World,
} from "@/lib/server/testing/world";
import { StoreError } from "@/lib/store/errors";
import { askStored, openTempStore } from "@/lib/store/testing/temp-store";
import type { LogEvent } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { exportLog } from "./read-run";
import { recoverRuns } from "./recover-runs";
import { stopRun } from "./stop-run";

const never = new Promise<never>(() => {});
const done = [text("Done."), stop("end_turn")];
const approve = (requestId: string) => ({ requestId, decision: "approve" as const });

/** A start that recovers without a fault. */
async function restart(app: Process & { world: World }): Promise<Process> {
  const next = await startAgain(app);
  expect(next.faults).toEqual([]);
  return next;
}

async function expectWhole(app: Process, id: string): Promise<void> {
  const events = await readWholeLog(app, id);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.filter(({ data }) => data.type === "result")).toHaveLength(1);
  expect(events.at(-1)?.data.type).toBe("result");
}

test("a run that was cut in its text is interrupted with that text, once", async () => {
  const app = await startAlone([text("Once upon "), text("a time"), never]);
  const run = await ask(app);
  await expect.poll(() => kindsOf(app, run)).toBe("iteration text text");
  const next = await restart(app);
  expect(await stored(next, run.id)).toMatchObject({
    status: "interrupted",
    result: { stopReason: "interrupted", finalText: "Once upon a time", iterationsUsed: 1 },
  });
  expect((await historyOf(next, run)).at(-1)).toMatchObject({ parts: [{ text: "Once upon a time" }] });
  await expectWhole(next, run.id);
  const record = await stored(next, run.id);
  expect(await recoverRuns(next)).toBe(0);
  expect(await stored(next, run.id)).toEqual(record);
});

test("a call that was sent is unknown, one that was not was not run, and both are numbered on in the log", async () => {
  const app = await startAlone([call("a", "desk__look"), call("b", "desk__work"), stop("tool_use")]);
  app.world.desk.hold();
  const cut = await ask(app);
  await app.world.desk.came(1);
  await expect.poll(() => kindsOf(app, cut)).toMatch(/approval_request/);
  const before = await readWholeLog(app, cut.id);
  const next = await restart(app);
  expect((await historyOf(next, cut)).at(-1)).toMatchObject({
    role: "tool",
    results: [
      { id: "a", status: "unknown" },
      { id: "b", status: "error", content: [{ text: expect.stringMatching(/^Not run: /) }] },
    ],
  });
  const log = await readWholeLog(next, cut.id);
  expect(log.slice(0, before.length)).toEqual(before);
  expect(log.slice(before.length).map(({ seq, data }) => [seq, data.type])).toEqual([
    [before.length + 1, "tool_result"],
    [before.length + 2, "tool_result"],
    [before.length + 3, "result"],
  ]);
  expect(log.slice(before.length).every(({ at, data }) => data.at === at)).toBe(true);
  await expectWhole(next, cut.id);
});

test("a run whose end stood in its log and not in its record gets that end", async () => {
  const app = await startAlone(done);
  const finish = app.store.hold("runs.finish");
  const run = await ask(app);
  await finish.reached;
  const at = Date.now();
  const end = {
    stopReason: "end_turn" as const,
    historyDelta: [],
    finalText: "",
    iterationsUsed: 1,
    timedOut: false,
  };
  const data = {
    type: "result" as const,
    at,
    result: { ...end, usage: { inputTokens: 1, outputTokens: 1 } },
  };
  const seq = (await app.world.store.log.lastSeq(run.id)) + 1;
  await app.world.store.log.append(run.id, [{ seq, at, data }], true);
  const next = await restart(app);
  const { historyDelta: _, ...result } = data.result;
  expect(await stored(next, run.id)).toMatchObject({
    status: "completed",
    result: { ...result, messages: 0 },
  });
  await expectWhole(next, run.id);
});

/** A run whose end is in its record alone, and the next process. */
async function killedBeforeLastLine(app: Process & { world: World }) {
  const last = app.store.hold(
    "log.append",
    (_id: string, [event]: LogEvent[]) => event?.data.type === "result",
  );
  const run = await ask(app);
  await last.reached;
  return { run, next: await restart(app) };
}

test("a log that lacks its end gets the messages that the run added, and not the denial that came later", async () => {
  const app = await startAlone([text("May I?"), call("a", "desk__work"), stop("tool_use")]);
  const { run, next } = await killedBeforeLastLine(app);
  const waiting = await stored(next, run.id);
  expect(waiting).toMatchObject({ status: "waiting", result: { messages: 1 } });
  await stopRun(next, waiting);
  expect((await historyOf(next, run)).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  expect(await completeLog(next, await stored(next, run.id), true)).toBe(true);
  const { historyDelta, ...end } = await resultOf(next, run);
  expect(historyDelta).toEqual((await historyOf(next, run)).slice(1, 2));
  expect({ ...end, messages: 1 }).toEqual(waiting.result);
  await expectWhole(next, run.id);
});

test("a log that lacks its end gets it once, however many want to read it at the same time", async () => {
  const app = await startAlone(done);
  const { run, next } = await killedBeforeLastLine(app);
  const row = await stored(next, run.id);
  expect(row.status).toBe("completed");
  const readers = await Promise.all([1, 2, 3].map(async () => exportLog(next, row)));
  const [first, ...others] = await Promise.all(readers.map((answer) => answer.text()));
  expect(others).toEqual([first, first]);
  await expectWhole(next, run.id);
});

test("a call that an earlier run of the chain has sent is still unknown", async () => {
  const app = await startAlone([call("a", "desk__work"), call("b", "desk__form"), stop("tool_use")], done);
  const run = await ended(app, await ask(app));
  app.world.desk.hold();
  expect(await answerRun(app, run, approve("a"))).toEqual({ runId: null, pending: 1 });
  const [form] = (await logOf(app, run)).flatMap((chunk) => (chunk.type === "input_request" ? chunk : []));
  const before = app.store.hold(
    "log.append",
    (_id: string, [event]: LogEvent[]) => event?.data.type === "tool_start",
  );
  const { runId } = await answerRun(app, run, {
    ...{ requestId: form?.requestId ?? "", action: "accept", content: { city: "Nara" } },
  });
  await before.reached;
  const next = await restart(app);
  expect(await stored(next, runId ?? "")).toMatchObject({
    status: "interrupted",
    result: { iterationsUsed: 1 },
  });
  // `form` went with the first run; of `work` not even the intent was stored.
  expect((await historyOf(next, run)).at(-1)).toMatchObject({
    results: [
      { id: "a", status: "error" },
      { id: "b", status: "unknown" },
    ],
  });
});

test("recovery that is killed between record and log is completed by the next reader of the log", async () => {
  const app = await startAlone([call("a", "desk__look"), call("b", "desk__work"), stop("tool_use")]);
  app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  await expect.poll(() => kindsOf(app, run)).toMatch(/approval_request/);
  app.store.kill();
  await app.store.quiet();
  const second = startProcess(app.world);
  const line = second.store.hold("log.append");
  void recoverRuns(second);
  await line.reached;
  second.store.kill();
  await second.store.quiet();
  const third = startProcess(app.world);
  expect(await recoverRuns(third)).toBe(0);
  await completeLog(third, await stored(third, run.id), true);
  const results = (await logOf(third, run)).flatMap((chunk) =>
    chunk.type === "tool_result" ? chunk.result : [],
  );
  expect(results).toMatchObject([
    { id: "a", status: "unknown" },
    { id: "b", status: "error" },
  ]);
  expect((await historyOf(third, run)).at(-1)).toEqual({ role: "tool", results });
  await expectWhole(third, run.id);
});

test("a run that waits goes on at the next start when its log holds every answer", async () => {
  const app = await startAlone([call("a", "desk__work"), call("b", "desk__look"), stop("tool_use")], done);
  const { run, begin } = await answerAfterLastLook(app);
  await begin.reached;
  expect(await stored(app, run.id)).toMatchObject({ status: "waiting" });
  const next = await restart(app);
  const more = await nextOf(next, run);
  expect(await ended(next, more ?? run)).toMatchObject({ status: "completed", continues: run.id });
  expect((await stored(next, run.id)).status).toBe("completed");
  expect(app.world.desk.calls.map(({ name }) => name)).toEqual(["look", "work"]);
});

test("a run that waits with every answer goes on once the disk has room again", async () => {
  const app = await startAlone([call("a", "desk__work"), call("b", "desk__look"), stop("tool_use")], done);
  const { run, begin } = await answerAfterLastLook(app);
  await begin.reached;
  begin.fail(new StoreError("disk_full", "full"));
  await expect.poll(() => nextOf(app, run)).toBeDefined();
  expect(await ended(app, (await nextOf(app, run)) ?? run)).toMatchObject({ result: { finalText: "Done." } });
  expect(app.faults).toHaveLength(1);
});

test("a run that waits for an answer is left waiting by a start", async () => {
  const app = await startAlone([call("a", "desk__work"), stop("tool_use")]);
  const run = await ended(app, await ask(app));
  const next = await restart(app);
  expect(await stored(next, run.id)).toEqual(run);
  expect(await nextOf(next, run)).toBeUndefined();
});

test("of a run that waits only the end of its log is read, however long it is", async () => {
  const words = Array.from({ length: 2_500 }, (_, at) => text(`${at} `));
  const app = await startAlone([...words, call("a", "desk__work"), stop("tool_use")]);
  const run = await ended(app, await ask(app));
  expect(run.status).toBe("waiting");
  expect(await app.store.log.lastSeq(run.id)).toBeGreaterThan(2_500);
  const next = await restart(app);
  expect(await stored(next, run.id)).toEqual(run);
  expect(next.store.count("log.read")).toBe(1);
});

test("a run whose log has a damaged line is interrupted, and what it asked for may have been sent", async () => {
  const app = await startAlone([call("a", "desk__look"), call("b", "desk__work"), stop("tool_use")]);
  app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  await expect.poll(() => kindsOf(app, run)).toMatch(/approval_request/);
  const { seq } = (await readWholeLog(app, run.id)).find(({ data }) => data.type === "tool_start") ?? {
    seq: 0,
  };
  app.store.kill();
  await app.store.quiet();
  await app.world.store.close();
  const damaged = await askStored(
    app.world.dataDir,
    "log",
    `update event_range set data = '[]' where run = (select run from run_key where run_id = '${run.id}')
    and first >= ${seq} returning first`,
  );
  expect(damaged.length).toBeGreaterThan(0);
  const next = startProcess({ ...app.world, store: await openTempStore({ dataDir: app.world.dataDir }) });
  expect(await recoverRuns(next)).toBe(1);
  expect((await stored(next, run.id)).status).toBe("interrupted");
  expect((await historyOf(next, run)).at(-1)).toMatchObject({
    results: [
      { id: "a", status: "unknown" },
      { id: "b", status: "unknown" },
    ],
  });
});

test("one run that cannot be recovered keeps neither the others nor the start from going on", async () => {
  const app = await startAlone([text("One "), never], [text("Two "), never]);
  const [one, two] = [await ask(app), await ask(app)];
  await expect.poll(() => kindsOf(app, two)).toBe("iteration text");
  app.store.kill();
  const next = startProcess(app.world);
  const cause = new Error("It cannot be read.");
  const fault = next.store.hold(
    "messages.branch",
    (conversationId: string) => conversationId === one.conversationId,
  );
  fault.fail(cause);
  expect(await recoverRuns(next)).toBe(2);
  expect(next.faults).toEqual([{ err: cause, runId: one.id }]);
  expect((await stored(next, one.id)).status).toBe("running");
  expect((await stored(next, two.id)).status).toBe("interrupted");
});
