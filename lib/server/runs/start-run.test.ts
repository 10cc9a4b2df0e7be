import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { kindOf } from "@/lib/protocol/chunk-kinds";
import type { ToolCallId } from "@/lib/protocol/ids";
import { readWholeLog } from "@/lib/server/loop/stored-run";
import {
  answerAfterLastLook,
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
import { startAlone } from "@/lib/server/testing/world";
import type { LogEvent } from "@/lib/store/types";
import { answerRun } from "./answer-run";

const yes = (id: string) => ({ requestId: id, decision: "approve" as const });
const approval = (id: string) => ({
  ...{
    type: "answer" as const,
    requestId: id,
    id: id as ToolCallId,
    answer: { decision: "approve" as const },
  },
});

test("a run writes its log, then its end, and both say the same", async () => {
  const app = await startAlone(
    [call("a", "desk__look"), stop("tool_use")],
    [text("Seen."), stop("end_turn")],
  );
  const run = await ended(app, await ask(app));
  expect(await kindsOf(app, run)).toBe("iteration tool_call tool_start tool_result iteration text result");
  expect(run).toMatchObject({ status: "completed", result: { stopReason: "end_turn", finalText: "Seen." } });
  const { historyDelta, ...end } = await resultOf(app, run);
  expect({ ...end, messages: historyDelta.length }).toEqual(run.result);
  expect((await logOf(app, run)).at(-1)).toMatchObject({ type: "result", at: run.endedAt });
  expect((await historyOf(app, run)).slice(1)).toEqual(historyDelta);
  expect(app.runs.count).toBe(0);
  expect(app.faults).toEqual([]);
});

test("nothing is stored of a run for which there is no model", async () => {
  const app = await startAlone();
  app.providers.provider = () => {
    throw new Error("There is no such model.");
  };
  await expect(ask(app)).rejects.toThrow("There is no such model.");
  expect(await app.world.store.runs.withStatus("running")).toEqual([]);
});

test("while the process shuts down an answer starts nothing, and can be given again after it", async () => {
  const app = await startAlone(
    [call("a", "desk__work"), stop("tool_use")],
    [text("Done."), stop("end_turn")],
  );
  const run = await ended(app, await ask(app));
  app.runs.draining = true;
  await expect(answerRun(app, run, yes("a"))).rejects.toMatchObject({ status: 503, code: "draining" });
  expect(await nextOf(app, run)).toBeUndefined();
  app.runs.draining = false;
  const { runId } = await answerRun(app, run, yes("a"));
  expect(await ended(app, { id: runId ?? "" })).toMatchObject({ status: "completed" });
});

/** Others may share their commit. */
const durableKinds = (events: readonly LogEvent[]) =>
  events.flatMap(({ data }) => (kindOf(data).write === "durable" ? data.type : []));

test("a call goes to its server when its intent is stored so that it survives a power cut, and not before", async () => {
  const app = await startAlone(
    [call("a", "desk__look"), stop("tool_use")],
    [text("Seen."), stop("end_turn")],
  );
  const intent = app.store.hold("log.append", (_id: string, events: LogEvent[]) =>
    events.some(({ data }) => data.type === "tool_start"),
  );
  const durable: string[] = [];
  app.store.onCall = (method, args) => {
    const [, events, isDurable] = args as [string, LogEvent[], boolean];
    if (method === "log.append" && isDurable) durable.push(...durableKinds(events));
  };
  const run = await ask(app);
  await intent.reached;
  expect(app.world.desk.calls).toEqual([]);
  intent.release();
  await ended(app, run);
  expect(app.world.desk.calls).toEqual([{ name: "look", args: {} }]);
  expect(durable).toEqual(["tool_start", "result"]);
});

test("questions, answers and what a call goes on from are stored as durably as intents", async () => {
  const app = await startAlone(
    [call("a", "desk__work"), call("b", "desk__form"), stop("tool_use")],
    [text("Done."), stop("end_turn")],
  );
  const durable: string[] = [];
  app.store.onCall = (method, args) => {
    const [, events, isDurable] = args as [string, LogEvent[], boolean];
    if (method === "log.append" && isDurable) durable.push(...durableKinds(events));
  };
  const first = await ended(app, await ask(app));
  const [form, work] = (await questionsOf(app, first)).toSorted((a, b) => (a.type < b.type ? 1 : -1));
  expect(durable.toSorted()).toEqual(["approval_request", "input_request", "result", "tool_start"]);
  durable.length = 0;
  const content = { city: "Nara" };
  await answerRun(app, first, { requestId: form?.requestId ?? "", action: "accept", content });
  const { runId } = await answerRun(app, first, yes(work?.requestId ?? ""));
  const done = await ended(app, { id: runId ?? "" });
  expect(done).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect(durable.toSorted()).toEqual(["answer", "answer", "result", "tool_start"]);
});

test("an answer between the loop's last look and the end of the run starts the run that goes on", async () => {
  const app = await startAlone(
    [call("a", "desk__work"), call("b", "desk__look"), stop("tool_use")],
    [text("Done."), stop("end_turn")],
  );
  const { run, begin } = await answerAfterLastLook(app);
  expect(run).toMatchObject({ result: { stopReason: "awaiting_approval" } });
  begin.release();
  await expect.poll(async () => (await nextOf(app, run))?.id).toBeDefined();
  const next = await ended(app, (await nextOf(app, run)) ?? run);
  expect(next).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect((await stored(app, run.id)).status).toBe("completed");
  expect(app.world.desk.calls.map(({ name }) => name)).toEqual(["look", "work"]);
});

test("an answer that comes while the end is being stored is not written after the end; it begins the next run", async () => {
  const app = await startAlone(
    [call("a", "desk__work"), stop("tool_use")],
    [text("Done."), stop("end_turn")],
  );
  const end = app.store.hold("runs.finish");
  const run = await ask(app);
  const live = app.runs.get(run.id);
  await end.reached;
  const direct = live?.answer(approval("a"));
  const answering = answerRun(app, run, yes("a"));
  end.release();
  expect(await direct).toBe(false);
  const { runId } = await answering;
  const next = await ended(app, { id: runId ?? "" });
  expect(next).toMatchObject({ status: "completed", continues: run.id });
  expect(await kindsOf(app, run)).toBe("iteration tool_call approval_request result");
  expect(await kindsOf(app, next)).toBe("answer tool_start tool_result iteration text result");
  expect(app.world.desk.calls).toHaveLength(1);
});

test("approvals do not start the limit of turns anew", async () => {
  const turn = (id: string) => [call(id, "desk__work"), stop("tool_use")];
  const app = await startAlone(turn("a"), turn("b"), turn("c"), turn("d"));
  let run = await ended(app, await ask(app, { maxIterations: 2 }));
  for (const id of ["a", "b"]) {
    const { runId } = await answerRun(app, run, yes(id));
    run = await ended(app, { id: runId ?? "" });
  }
  expect(run).toMatchObject({
    ...{ status: "completed", result: { stopReason: "max_iterations", iterationsUsed: 2 } },
  });
  expect(app.world.turns).toHaveLength(2);
});

test("a fault inside of a run ends it with an honest reason, and keeps what stood in its log", async () => {
  const app = await startAlone([text("Some words."), new Error("a fault"), stop("end_turn")]);
  const run = await ended(app, await ask(app));
  expect(run).toMatchObject({ status: "failed", result: { stopReason: "error", finalText: "Some words." } });
  const events = await readWholeLog(app, run.id);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  expect(events.at(-1)?.data.type).toBe("result");
});
