import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { ask, ended, historyOf, startAlone } from "@/lib/server/testing/run-kit";
import { cancelCall } from "./cancel-call";

test("a call that is given up is told to its server, the others come back, and the run goes on", async () => {
  const app = await startAlone(
    [call("a", "desk__look", { n: 1 }), call("b", "desk__look", { n: 2 }), stop("tool_use")],
    [text("One of two."), stop("end_turn")],
  );
  const open = app.world.desk.hold();
  const run = await ask(app);
  await app.world.desk.came(2);
  cancelCall(app, run, "a");
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
    expect(() => cancelCall(app, { ...run, id }, callId), `${id} ${callId}`).toThrow(refusal);
  open();
  await ended(app, run);
  expect(() => cancelCall(app, run, "b")).toThrow(refusal);
  expect(app.world.desk.cancelled).toBe(0);
});
