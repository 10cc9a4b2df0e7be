import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { resumeRun } from "@/lib/server/runs/resume-run";
import { ask, ended, questionsOf, stored } from "@/lib/server/testing/run-kit";
import { startAlone, startProcess } from "@/lib/server/testing/world";

const done = [text("Done."), stop("end_turn")];

/** A call of `look`, which says that it only reads, is out when the process dies. */
async function dieWhileLooking() {
  const app = await startAlone([call("a", "desk__look"), stop("tool_use")], done);
  const open = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(1);
  app.store.kill();
  open();
  const next = startProcess(app.world);
  await recoverRuns(next);
  return { app: next, world: app.world, run: await stored(next, run.id) };
}

test("a call that was out is repeated without a question where its accepted definition says that it only reads", async () => {
  const { app, world, run } = await dieWhileLooking();
  const next = await ended(app, await resumeRun(app, run));
  expect(next).toMatchObject({ status: "completed", result: { finalText: "Done." } });
  expect(world.desk.calls).toHaveLength(2);
});

test("what a definition says that nobody has accepted makes no call safe to repeat", async () => {
  const { app, world, run } = await dieWhileLooking();
  world.desk.description = "Now it does something else.";
  await world.tools.pool.restart("desk");
  await world.tools.until((pool) => pool.tool("desk__look")?.item.definition === "changed");
  const next = await ended(app, await resumeRun(app, run));
  expect(next.status).toBe("waiting");
  expect(await questionsOf(app, next)).toMatchObject([{ reason: "outcome_unknown", call: { id: "a" } }]);
  expect(world.desk.calls).toHaveLength(1);
});

test("calls of a run that wants them in order are sent one after another", async () => {
  const app = await startAlone(
    [call("a", "desk__look", { n: 1 }), call("b", "desk__look", { n: 2 }), stop("tool_use")],
    done,
  );
  const open = app.world.desk.hold();
  const run = await ask(app, { toolExecution: "sequential" });
  await app.world.desk.came(1);
  const early = app.world.desk.calls.length;
  open();
  expect((await ended(app, run)).status).toBe("completed");
  expect([early, app.world.desk.calls.map(({ args }) => args)]).toEqual([1, [{ n: 1 }, { n: 2 }]]);
});
