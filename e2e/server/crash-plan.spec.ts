import { rmSync } from "node:fs";
import { callTools, say, until } from "@/lib/providers/testing/steps";
import { apiOf } from "../support/api";
import type { App } from "../support/app";
import { chunksOf, endOf } from "../support/follow-stream";
import { expect, test } from "../support/server-test";

const work = (n: number) => callTools({ name: "gated__work", args: { n } });
const isReady = (app: App) =>
  expect.poll(async () => (await apiOf(app).server("gated")).status).toBe("ready");
/** Answers the only question of a run; gives the id of the run that goes on. */
const answer = async (app: App, runId: string, decision: string): Promise<string> => {
  const [asked] = (await apiOf(app).run(runId)).pending;
  const given = { requestId: asked?.requestId, decision };
  return (await apiOf(app).post<{ runId: string }>(`/api/runs/${runId}/answer`, given)).runId;
};

test("an approved plan holds after kill -9 with what was used of it, and nothing goes twice that was done", async ({
  startWithModel,
  gated,
}) => {
  const closed = Promise.withResolvers<void>();
  const steps = [{ tool: "gated__work", max: 2 }];
  const { app } = await startWithModel(
    [
      [callTools({ name: "meguri__propose_plan", args: { steps } })],
      [work(1)],
      [until(closed.promise), work(2)],
      [work(3)],
      [say("Done.")],
    ],
    { mcpConfig: { mcpServers: { gated: gated.config } } },
  );
  const api = apiOf(app);
  await isReady(app);
  gated.open();
  const proposed = await api.ask("Work", { options: { plan: true } });
  await proposed.closed;
  const live = await api.follow(await answer(app, proposed.runId, "approve"));
  await live.until((events) => chunksOf(events).filter(({ type }) => type === "tool_result").length === 2);
  rmSync(`${gated.journal}.open`);
  closed.resolve();
  await expect.poll(gated.calls).toEqual(["work", "work"]);
  await app.kill9();
  await app.restart();

  // The call that was out counts, whatever became of it.
  const used = (count: number) => ({ plan: { steps: [{ tool: "gated__work", max: 2, used: count }] } });
  expect(await api.run(live.runId)).toMatchObject({ status: "interrupted", ...used(2) });
  await isReady(app);
  const { runId } = await api.post<{ runId: string }>(`/api/runs/${live.runId}/resume`);
  await api.replay(runId);
  expect((await api.run(runId)).pending).toMatchObject([{ reason: "outcome_unknown" }]);
  gated.open();
  const again = await answer(app, runId, "retry");
  expect(endOf((await api.replay(again)).events).status).toBe("waiting");
  expect(gated.calls()).toEqual(["work", "work", "work"]);
  expect(await api.run(again)).toMatchObject({
    pending: [{ reason: "rule", call: { args: { n: 3 } }, outside: { why: "used_up" } }],
    ...used(2),
  });
  const last = await answer(app, again, "deny");
  expect(endOf((await api.replay(last)).events)).toMatchObject({ status: "completed", finalText: "Done." });
  expect(gated.calls()).toHaveLength(3);
});

test("an answer on a recording keeps its place in it over kill -9, and calls nothing", async ({
  startWithModel,
  gated,
}) => {
  const { app, model } = await startWithModel(
    [[work(1)], [say("Recorded.")], [work(1)], [until(new Promise(() => {}))], [work(1)], [say("Done.")]],
    { mcpConfig: { mcpServers: { gated: gated.config } }, env: { TOOL_APPROVAL: "allow" } },
  );
  const api = apiOf(app);
  await isReady(app);
  gated.open();
  const first = await api.ask("Work");
  await first.closed;
  const tape = await api.post<{ runId: string }>(`/api/runs/${first.runId}/rerun`, { tape: "ask" });
  await expect.poll(() => model.requests.length).toBe(4);
  await app.kill9();
  await app.restart();
  await isReady(app);
  expect((await api.run(tape.runId)).status).toBe("interrupted");

  const { runId } = await api.post<{ runId: string }>(`/api/runs/${tape.runId}/resume`);
  expect(endOf((await api.replay(runId)).events).status).toBe("waiting");
  expect(model.requests[4]?.toolResults).toEqual(["work is done"]);
  // The recording has it once, and that is used up.
  expect(await api.run(runId)).toMatchObject({
    pending: [{ reason: "tape", call: { name: "gated__work", args: { n: 1 } } }],
    rerunOf: { runId: first.runId, tape: "ask" },
  });
  const last = await answer(app, runId, "deny");
  expect(endOf((await api.replay(last)).events)).toMatchObject({ status: "completed", finalText: "Done." });
  expect(gated.calls()).toEqual(["work"]);
});
