import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { deleteConversation } from "@/lib/server/conversations/delete-conversation";
import { openBeside } from "@/lib/server/testing/open-beside";
import { ask, ended, historyOf, kindsOf, nextOf, stored, user } from "@/lib/server/testing/run-kit";
import { ask as askDatabase } from "@/lib/store/testing/postgres-server";
import { answerRun } from "./answer-run";
import { recoverRuns } from "./recover-runs";
import { endAll, stopRun } from "./stop-run";

const never = new Promise<never>(() => {});
const works = [call("a", "desk__work"), stop("tool_use")];

test("Stop through another process ends the run where it is driven, with the calls that it has sent", async () => {
  const { one, other, world } = await openBeside([text("Half "), call("a", "desk__look"), stop("tool_use")]);
  world.desk.hold();
  const run = await ask(one);
  await world.desk.came(1);
  await stopRun(other, run);
  expect((await stored(other, run.id)).status).toBe("stopped");
  expect(one.runs.get(run.id)).toBeUndefined();
  await expect.poll(() => world.desk.cancelled).toBe(1);
  expect(await kindsOf(other, run)).toMatch(/ result$/);
});

test("two Stops at once through both processes end the run once", async () => {
  const { one, other } = await openBeside([text("Half "), never]);
  const run = await ask(one);
  await expect.poll(() => kindsOf(one, run)).toBe("iteration text");
  await Promise.all([stopRun(one, run), stopRun(other, run), stopRun(other, run)]);
  expect((await stored(one, run.id)).status).toBe("stopped");
  expect(await kindsOf(one, run)).toBe("iteration text result");
});

test("Stop of a run that has ended leaves it as it is, and asks nobody", async () => {
  const { one, other, url } = await openBeside([text("Done."), stop("end_turn")]);
  const run = await ended(one, await ask(one));
  await stopRun(other, run);
  expect((await stored(one, run.id)).status).toBe("completed");
  expect(await askDatabase(url, "select id from run_command")).toEqual([]);
});

test("a run that waits is stopped by whoever is asked", async () => {
  const { one, other } = await openBeside(works);
  const run = await ended(one, await ask(one));
  await stopRun(other, run);
  expect((await stored(one, run.id)).status).toBe("stopped");
  expect((await historyOf(one, run)).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
});

test("a page that does not know of the answer yet stops the run that goes on elsewhere by its old id", async () => {
  const { one, other } = await openBeside(works, [text("Half "), never]);
  const run = await ended(one, await ask(one));
  await answerRun(one, run, { requestId: "a", decision: "approve" });
  const next = await nextOf(one, run);
  if (!next) throw new Error("It does not go on.");
  await expect.poll(() => kindsOf(one, next)).toMatch(/ text$/);
  await stopRun(other, run);
  expect((await stored(other, next.id)).status).toBe("stopped");
});

test("Stop of a run whose process is gone is answered after a second, and whoever takes the run over stops it", async () => {
  const { one, other, url } = await openBeside([text("Half "), never]);
  const run = await ask(one);
  await expect.poll(() => kindsOf(one, run)).toBe("iteration text");
  one.store.kill();
  await one.store.quiet();
  await stopRun(other, run);
  expect((await stored(other, run.id)).status).toBe("running");
  await askDatabase(url, `delete from instance where id = '${one.store.members.id}'`);
  expect(await recoverRuns(other)).toBe(1);
  expect(await stored(other, run.id)).toMatchObject({
    status: "stopped",
    result: { stopReason: "aborted", finalText: "Half " },
  });
  expect(await askDatabase(url, "select kind, outcome from run_command")).toEqual([
    { kind: "stop", outcome: '{"answer":null}' },
  ]);
});

test("what runs in a conversation ends when that is deleted, and what a person has running with their work", async () => {
  const { one, other } = await openBeside([text("Half "), never], [text("Half "), never]);
  const [first, second] = [await ask(one), await ask(one)];
  for (const run of [first, second]) await expect.poll(() => kindsOf(one, run)).toMatch(/ text$/);
  await deleteConversation(other, user, first.conversationId);
  expect(one.runs.get(first.id)).toBeUndefined();
  expect(one.runs.get(second.id)).toBeDefined();
  await endAll(other, { userId: user });
  expect((await stored(other, second.id)).status).toBe("stopped");
});
