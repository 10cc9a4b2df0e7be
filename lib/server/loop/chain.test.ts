import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import type { ApprovalRequest, Chunk, LoopStopReason } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { answerRun } from "@/lib/server/runs/answer-run";
import { ask, ended, logOf, stored, waitingFor } from "@/lib/server/testing/run-kit";
import { startAlone, startProcess } from "@/lib/server/testing/world";
import { run as newRun, result, runEnd } from "@/lib/store/testing/rows";
import type { RunRow } from "@/lib/store/types";
import { readChain } from "./chain";

const work = { type: "tool_call" as const, id: "a" as ToolCallId, name: "desk__work", args: {} };
const question: ApprovalRequest = { type: "approval_request", requestId: "a", call: work, reason: "rule" };

/** Runs that continue each other, each working for so long and ending for this reason, an hour apart. */
async function chainOf(...runs: [workedMs: number, LoopStopReason, isLineMissing?: boolean][]) {
  const app = await startAlone();
  const root = await waitingFor(app, { type: "notice", kind: "server", message: "" });
  let last: RunRow | undefined;
  for (const [index, [ms, stopReason, isLineMissing]] of runs.entries()) {
    const [startedAt, id] = [(index + 1) * 3_600_000, `r${index}`];
    const end = result({ stopReason, historyDelta: [] });
    const { conversationId, messageId, parentId } = root;
    const place = { conversationId, messageId, parentId, continues: last?.id ?? null };
    last = newRun(id, {
      ...place,
      status: "waiting",
      startedAt,
      endedAt: startedAt + ms,
      result: runEnd(end),
    });
    await app.store.runs.create(last);
    const log: Chunk[] = [
      { type: "iteration", index: 1, at: startedAt },
      ...(isLineMissing ? [] : [{ type: "result" as const, result: end, at: startedAt + ms }]),
    ];
    const events = log.map((data, at) => ({ seq: at + 1, at: data.at ?? 0, data }));
    await app.store.log.append(id, events, true);
  }
  return readChain(app, last);
}

test("the time that a chain has worked goes on counting over answers; waiting for them does not count", async () => {
  expect((await chainOf()).workedMs).toBe(0);
  expect((await chainOf([2_000, "awaiting_approval"])).workedMs).toBe(2_000);
  expect(
    (await chainOf([2_000, "awaiting_approval"], [300, "awaiting_input"], [10, "budget"])).workedMs,
  ).toBe(2_310);
});

test("a person's word to go on after an end starts the time from zero", async () => {
  for (const end of ["timeout", "aborted", "interrupted", "max_iterations", "error"] as const)
    expect((await chainOf([2_000, "awaiting_approval"], [300, end])).workedMs, end).toBe(0);
  expect((await chainOf([2_000, "timeout"], [300, "awaiting_approval"])).workedMs).toBe(300);
});

test("an end whose line is missing in the log ends the work all the same", async () => {
  const { workedMs, budgetUsage } = await chainOf(
    [2_000, "awaiting_approval", true],
    [300, "awaiting_approval"],
  );
  expect(workedMs).toBe(2_300);
  const asked = budgetUsage.question("timeMs", { timeMs: 1 });
  expect(asked.used.timeMs).toBe(2_300);
});

test("an answer to a run that has used up its time sends nothing, and the run ends as out of time", async () => {
  const app = await startAlone([text("x"), stop("end_turn")]);
  const run = await waitingFor(app, question);
  const used = newRun("used", {
    ...run,
    ...{ id: "used", continues: run.id, options: { timeoutMs: 1_000 }, startedAt: 0, endedAt: 1_000 },
  });
  await app.store.runs.create(used);
  const asking = call("a", "desk__work");
  await app.store.messages.append(run.conversationId, [
    {
      ...{ id: "m", conversationId: run.conversationId, parentId: run.parentId, runId: "used", model: null },
      ...{ clientMessageId: null, createdAt: 0 },
      message: { role: "assistant", parts: asking.type === "tool_call" ? [asking.call] : [] },
    },
  ]);
  const end = result({ stopReason: "awaiting_approval", historyDelta: [] });
  const log: Chunk[] = [
    { type: "iteration", index: 1, at: 1 },
    question,
    { type: "result", result: end, at: 1_001 },
  ];
  await app.store.log.append(
    "used",
    log.map((data, index) => ({ seq: index + 1, at: 1, data })),
    true,
  );
  const { runId } = await answerRun(app, used, { requestId: "a", decision: "approve" });
  const next = await ended(app, { id: runId ?? "" });
  expect(next).toMatchObject({ status: "completed", result: { stopReason: "timeout", timedOut: true } });
  expect((await logOf(app, next)).map(({ type }) => type)).toEqual(["answer", "tool_result", "result"]);
  expect(app.world.desk.calls).toEqual([]);
});

test("a continued run goes on in what is left of the time", async () => {
  const app = await startAlone(
    [call("a", "desk__work"), stop("tool_use")],
    [text("Done."), stop("end_turn")],
  );
  const run = await ended(app, await ask(app, { timeoutMs: 60_000 }));
  app.store.kill();
  await app.store.quiet();
  const next = startProcess(app.world);
  const { runId } = await answerRun(next, run, { requestId: "a", decision: "approve" });
  expect(next.runs.get(runId ?? "")?.chain.workedMs).toBe(
    (run.endedAt ?? 0) - firstAt(await logOf(next, run)),
  );
  expect((await ended(next, { id: runId ?? "" })).status).toBe("completed");
  expect((await stored(next, run.id)).status).toBe("completed");
});

const firstAt = (log: readonly Chunk[]): number => log.find(({ at }) => at !== undefined)?.at ?? 0;
