import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import type { McpPool } from "@/lib/mcp/mcp-pool";
import { answerRun } from "@/lib/server/runs/answer-run";
import { stopRun } from "@/lib/server/runs/stop-run";
import { ask, ended, kindsOf, stored } from "@/lib/server/testing/run-kit";
import { type Process, startAlone } from "@/lib/server/testing/world";
import type { LogEvent } from "@/lib/store/types";

const works = [call("a", "desk__work"), stop("tool_use")];
const done = [text("Done."), stop("end_turn")];
const approve = { requestId: "a", decision: "approve" as const };
const isAnswer = (_: string, [event]: LogEvent[]) => event?.data.type === "answer";

/** The process after a restart, before its servers are back; `waiting` resolves when somebody waits for them. */
function whileConnecting(app: Process): { app: Process; waiting: Promise<void>; connect(): void } {
  let isConnected = false;
  const waiting = Promise.withResolvers<void>();
  const listeners = new Set<Parameters<McpPool["onChange"]>[0]>();
  const { pool } = app;
  const statusOf: McpPool["statusOf"] = (name) => {
    const status = pool.statusOf(name);
    return status && !isConnected ? "connecting" : status;
  };
  const onChange: McpPool["onChange"] = (listener) => {
    listeners.add(listener);
    waiting.resolve();
    return () => listeners.delete(listener);
  };
  const connect = () => {
    isConnected = true;
    for (const tell of listeners) tell(undefined);
  };
  const starting: McpPool = Object.assign(Object.create(pool), { statusOf, onChange });
  return { app: { ...app, pool: starting }, waiting: waiting.promise, connect };
}

test("an approved call waits until its server is back, and then goes", { timeout: 10_000 }, async () => {
  const alone = await startAlone(works, done);
  const { app, waiting, connect } = whileConnecting(alone);
  const run = await ended(app, await ask(app));
  const { runId } = await answerRun(app, run, approve);
  const next = { id: runId ?? "" };
  await waiting;
  expect(await kindsOf(app, next)).toBe("answer");
  expect(alone.world.desk.calls).toEqual([]);
  connect();
  expect(await ended(app, next)).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect(alone.world.desk.calls).toMatchObject([{ name: "work" }]);
});

test("a Stop that comes before the wait for a server ends the run at once", { timeout: 10_000 }, async () => {
  const { app } = whileConnecting(await startAlone(works, done));
  const run = await ended(app, await ask(app));
  const answer = app.store.hold("log.append", isAnswer);
  const { runId } = await answerRun(app, run, approve);
  await answer.reached;
  const stopping = stopRun(app, { ...run, id: runId ?? "" });
  answer.release();
  await stopping;
  await ended(app, { id: runId ?? "" });
  expect(await stored(app, runId ?? "")).toMatchObject({ status: "stopped" });
});
