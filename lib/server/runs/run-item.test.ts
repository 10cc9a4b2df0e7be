import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { ask, ended, stored } from "@/lib/server/testing/run-kit";
import { startAlone } from "@/lib/server/testing/world";
import { answerRun } from "./answer-run";
import type { AnswerRequest } from "./read-answer";
import { toRunDetail, toRunItem } from "./run-item";

/** A run that asks for one call, and the run that answers it as a person says. */
async function answered(tool: string, answerAs: (requestId: string) => AnswerRequest) {
  const app = await startAlone([call("a", tool), stop("tool_use")], [text("Done."), stop("end_turn")]);
  const run = await ended(app, await ask(app));
  const [pending] = (await toRunItem(app, run)).pending;
  const { runId } = await answerRun(app, run, answerAs(pending?.requestId ?? ""));
  const next = await ended(app, { id: runId ?? "" });
  return { app, run, next, item: await toRunItem(app, next) };
}

test.each([
  ["ok", { action: "accept", content: { city: "Kyoto" } }],
  ["error", { action: "decline" }],
] as const)(
  "a call that the run before has sent has waited here since this one took it up: %s",
  async (status, answer) => {
    const { app, next, item } = await answered("desk__form", (requestId) => ({ requestId, ...answer }));
    const [form] = item.answeredCalls;
    expect(form).toMatchObject({ id: "a", status, startedAt: expect.any(String) });
    expect(Date.parse(form?.startedAt ?? "")).toBeGreaterThanOrEqual(next.startedAt);
    expect(app.world.desk.calls).toHaveLength(1);
  },
);

test("a call that is sent after the answer begins there, and a denied one never", async () => {
  const { item, next } = await answered("desk__work", (requestId) => ({ requestId, decision: "approve" }));
  expect(Date.parse(item.answeredCalls[0]?.startedAt ?? "")).toBeGreaterThanOrEqual(next.startedAt);
  const denied = await answered("desk__work", (requestId) => ({ requestId, decision: "deny" }));
  expect(denied.item.answeredCalls).toMatchObject([{ status: "denied", startedAt: null }]);
});

test("a run whose forerunner has a damaged log is still shown", async () => {
  const { app, run, next } = await answered("desk__form", (requestId) => ({ requestId, action: "decline" }));
  const reads = app.store.log.read;
  app.store.log.read = (id, ...rest) =>
    id === run.id ? Promise.reject(new Error("damaged")) : reads(id, ...rest);
  expect((await toRunItem(app, await stored(app, next.id))).answeredCalls).toMatchObject([
    { id: "a", startedAt: null },
  ]);
});

test("to show a chain of runs, each log is read for its run and for the next one", async () => {
  const asks = Array.from({ length: 3 }, (_, at) => [call(`a${at}`, "desk__form", { at }), stop("tool_use")]);
  const app = await startAlone(...asks, [text("Done."), stop("end_turn")]);
  const runs = [await ended(app, await ask(app))];
  for (let last = runs[0]; last?.status === "waiting"; last = runs.at(-1)) {
    const [pending] = (await toRunItem(app, last)).pending;
    const answer = { action: "accept", content: { city: "Kyoto" } } as const;
    const { runId } = await answerRun(app, last, { requestId: pending?.requestId ?? "", ...answer });
    runs.push(await ended(app, { id: runId ?? "" }));
  }
  expect(runs).toHaveLength(4);
  const rows = await Promise.all(runs.map(({ id }) => stored(app, id)));
  const before = app.store.count("log.read");
  const items = await Promise.all(rows.map((row) => toRunItem(app, row)));
  expect(items.slice(1).every(({ answeredCalls: [one] }) => one?.startedAt)).toBe(true);
  expect(app.store.count("log.read") - before).toBe(2 * (runs.length - 1));
});

test("a run names its question, the message that it has added, and the run that continues it", async () => {
  const { app, run, next } = await answered("desk__work", (requestId) => ({
    requestId,
    decision: "approve",
  }));
  const [first, second] = [await toRunDetail(app, run), await toRunDetail(app, next)];
  expect([first.continuedBy, second.continuedBy]).toEqual([next.id, null]);
  expect(first.question).not.toBe("");
  expect(second.question).toBe(first.question);
  const [message] = (await app.store.messages.branch(run.conversationId, first.answerId ?? "")).rows.slice(
    -1,
  );
  expect(message).toMatchObject({ runId: run.id, parentId: run.messageId });
});
