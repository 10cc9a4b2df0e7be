import { expect, onTestFinished, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { Metrics } from "@/lib/server/metrics/metrics";
import { openApart } from "@/lib/server/testing/open-beside";
import { ask, ended, kindsOf, questionsOf, stored } from "@/lib/server/testing/run-kit";
import { openWorld, type Process, type Script, startProcess } from "@/lib/server/testing/world";
import { LocalBus } from "@/lib/store/bus";
import { conversation, run as rowOf } from "@/lib/store/testing/rows";
import { answerRun } from "./answer-run";
import { RunCommands } from "./run-commands";
import { stopRun } from "./stop-run";

const never = new Promise<never>(() => {});
const half: Script = [[text("Half "), never]];

/** One that hears no hints. */
const deaf = (deps: Process): Process => ({ ...deps, store: { ...deps.store, bus: new LocalBus() } });

function start(deps: Process, onAnswered?: Metrics["onCommand"]): void {
  const commands = new RunCommands(deps, onAnswered);
  commands.start();
  onTestFinished(async () => (deps.store.isDead ? undefined : commands.close()));
}

test("a command is done although no hint of it is heard, and so is its outcome read", async () => {
  const { one, other } = await openApart(...half);
  start(deaf(one));
  const run = await ask(one);
  await expect.poll(() => kindsOf(one, run)).toBe("iteration text");
  await stopRun(deaf(other), run);
  await ended(one, run);
  expect((await stored(other, run.id)).status).toBe("stopped");
});

test("a process that is alone looks for no commands", async () => {
  const world = await openWorld(half);
  const alone = startProcess(world);
  const { commands } = alone.store;
  if (!commands) throw new Error("Others may come.");
  await expect.poll(() => alone.store.members.hasOthers).toBe(false);
  let looks = 0;
  const due = (except: readonly string[]) => {
    looks++;
    return commands.due(except);
  };
  start({ ...alone, store: { ...alone.store, commands: { ...commands, due } } });
  // The first look is for what somebody may have left.
  await expect.poll(() => looks).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  expect(looks).toBe(1);
});

test("who waits for no outcome any more looks for none", async () => {
  const { one, other } = await openApart(...half);
  start(one);
  const { commands } = other.store;
  if (!commands) throw new Error("Others are there.");
  const looks: number[] = [];
  const collect = (ids: readonly string[]) => {
    looks.push(ids.length);
    return commands.collect(ids);
  };
  const run = await ask(one);
  await expect.poll(() => kindsOf(one, run)).toBe("iteration text");
  await stopRun({ ...other, store: { ...other.store, commands: { ...commands, collect } } }, run);
  expect((await stored(other, run.id)).status).toBe("stopped");
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(looks.length).toBeGreaterThan(0);
  expect(looks).not.toContain(0);
});

test("too much that is open for one run is refused at once", async () => {
  const { one, other, world } = await openApart([
    call("a", "desk__work"),
    call("z", "desk__look"),
    stop("tool_use"),
  ]);
  world.desk.hold();
  const run = await ask(one);
  await expect.poll(() => questionsOf(one, run)).toHaveLength(1);
  for (let at = 0; at < 20; at++)
    expect(
      await other.store.commands?.give({ id: `c${at}`, runId: run.id, kind: "stop", body: "null" }),
    ).toBe("given");
  const answer = answerRun(other, run, { requestId: "a", decision: "approve" });
  await expect(answer).rejects.toMatchObject({ status: 503, code: "overloaded", retryAfterSeconds: 5 });
});

test("what was done and what was refused is counted by its kind where the run is driven", async () => {
  const { one, other } = await openApart(...half);
  const metrics = await Metrics.open({ METRICS_TOKEN: "m".repeat(32) });
  start(one, metrics?.onCommand);
  const run = await ask(one);
  await expect.poll(() => kindsOf(one, run)).toBe("iteration text");
  await expect(answerRun(other, run, { requestId: "a", decision: "approve" })).rejects.toMatchObject({
    code: "already_answered",
  });
  await stopRun(other, run);
  const counted = async () =>
    (await (await metrics?.answer())?.text())?.match(/^meguri_commands_total.*$/gm) ?? [];
  await expect
    .poll(counted)
    .toEqual([
      'meguri_commands_total{kind="answer",outcome="refused"} 1',
      'meguri_commands_total{kind="stop",outcome="done"} 1',
    ]);
});

test("what is open for a run that nobody drives yet keeps nothing else from being done", async () => {
  const { one, other } = await openApart(...half);
  const stray = rowOf("stray", { conversationId: "c-stray" });
  await one.store.runs.begin(stray, { conversation: conversation({ id: "c-stray" }) });
  for (let at = 0; at < 20; at++)
    expect(
      await other.store.commands?.give({ id: `c${at}`, runId: "stray", kind: "stop", body: "null" }),
    ).toBe("given");
  start(one);
  const run = await ask(one);
  await expect.poll(() => kindsOf(one, run)).toBe("iteration text");
  await stopRun(other, run);
  expect((await stored(other, run.id)).status).toBe("stopped");
  // They are answered when it is driven, or recovered.
  expect(await one.store.commands?.open(["stray"])).toHaveLength(20);
});
