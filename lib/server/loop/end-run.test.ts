import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { streamRun } from "@/lib/server/runs/read-run";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { ask, ended, historyOf, logOf, stored } from "@/lib/server/testing/run-kit";
import { startAlone, startProcess } from "@/lib/server/testing/world";

const done = [text("Done."), stop("end_turn")];

test("readers are told of the end when its record is stored, and not before", async () => {
  const app = await startAlone(done);
  const record = app.store.hold("runs.finish");
  const run = await ask(app);
  const { body } = streamRun(app, run, 0, new Request("http://127.0.0.1"));
  const read = body && new Response(body).text();
  await record.reached;
  expect((await logOf(app, run)).map(({ type }) => type)).not.toContain("result");
  expect((await stored(app, run.id)).status).toBe("running");
  const line = app.store.hold("log.append");
  record.release();
  await line.reached;
  expect((await stored(app, run.id)).status).toBe("completed");
  line.release();
  expect(await read).toMatch(/event: result[\s\S]*event: end\ndata: {"status":"completed"}\n\n$/);
});

test("the record, the line of the log and the timeline have one time for the end", async () => {
  const app = await startAlone([call("a", "desk__look"), stop("tool_use")], done);
  const run = await ended(app, await ask(app));
  expect((await logOf(app, run)).at(-1)?.at).toBe(run.endedAt);
  expect(run.iterations.map(({ toolCalls }) => toolCalls.map(({ id, status }) => [id, status]))).toEqual([
    [["a", "ok"]],
    [],
  ]);
});

test("each message of the delta hangs on the one before, and the conversation shows the last", async () => {
  const app = await startAlone([call("a", "desk__look"), stop("tool_use")], done);
  const run = await ended(app, await ask(app));
  const { leafId } = (await app.store.conversations.get("ann", run.conversationId)) ?? {};
  const { rows } = await app.store.messages.branch(run.conversationId, leafId ?? "");
  expect(rows.map(({ parentId }) => parentId)).toEqual([null, ...rows.slice(0, -1).map(({ id }) => id)]);
  expect(rows.map(({ runId }) => runId)).toEqual([null, run.id, run.id, run.id]);
  expect(await historyOf(app, run)).toEqual(rows.map(({ message }) => message));
});

test("two processes, one store: a run that the other has ended keeps that end, and nothing is added to its log", async () => {
  const gate = Promise.withResolvers<void>();
  const app = await startAlone([text("Half "), gate.promise, text("whole."), stop("end_turn")]);
  const run = await ask(app);
  await expect.poll(async () => (await logOf(app, run)).length).toBe(3);
  const other = startProcess(app.world);
  await recoverRuns(other);
  const record = await stored(other, run.id);
  expect(record).toMatchObject({ status: "interrupted", result: { finalText: "Half " } });
  const log = await logOf(other, run);
  gate.resolve();
  await ended(app, run);
  expect(await stored(other, run.id)).toEqual(record);
  expect(await logOf(other, run)).toEqual(log);
  expect(log.filter(({ type }) => type === "result")).toHaveLength(1);
});
