import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import { exitLoopTool } from "@/lib/agent/workflows/exit-loop";
import type { Chunk } from "@/lib/protocol/chunk";
import { modelHistory } from "@/lib/protocol/history";
import type { AgentDefinition, AgentNode } from "@/lib/server/agents/agent-definition";
import { ask, ended, historyOf, logOf, stored } from "@/lib/server/testing/run-kit";
import { type Process, restart, startAlone } from "@/lib/server/testing/world";
import type { RunRow } from "@/lib/store/types";
import { answerRun } from "./answer-run";
import { forkRun } from "./fork-run";
import { resumeRun } from "./resume-run";

const never = new Promise<never>(() => {});
const says = (words: string) => [text(words), stop("end_turn")];
const looks = (id: string, name = "desk__look") => [call(id, name, { n: 1 }), stop("tool_use")];
const llm = (name: string, more: object = {}): AgentNode => ({
  ...{ type: "llm", name, instruction: `You are ${name}.`, outputKey: name },
  ...more,
});
const flow = (...agents: AgentNode[]): AgentDefinition => ({
  name: "flow",
  agent: { type: "sequential", agents },
});
const start = (app: Process, workflow: AgentDefinition) => ask(app, { workflow }, workflow.name);

interface Place {
  agent: string;
  type: "usage" | "tool_result";
  nth?: number;
}
async function seqOf(
  app: Process,
  run: Pick<RunRow, "id">,
  { agent, type, nth = 1 }: Place,
): Promise<number> {
  const log = await logOf(app, run);
  return (
    log.flatMap((chunk, at) => (chunk.type === type && chunk.agent === agent ? at + 1 : []))[nth - 1] ?? 0
  );
}
const forkAt = async (app: Process, run: RunRow, place: Place, more: object = {}) =>
  forkRun(app, run, { afterSeq: await seqOf(app, run, place), title: undefined, ...more });
const paths = (log: readonly Chunk[]) =>
  log.flatMap((chunk) => (chunk.type === "agent" ? `${chunk.agent} ${chunk.event}` : []));
const words = async (app: Process, run: RunRow) =>
  (await historyOf(app, run)).flatMap((message) =>
    message.role === "assistant"
      ? message.parts.flatMap((part) => (part.type === "text" ? `${message.agent}: ${part.text}` : []))
      : [],
  );

const twoSteps = flow(llm("find"), llm("write"));

test("the steps before the point are taken as they are, and the workflow goes on from there", async () => {
  const app = await startAlone(looks("a"), says("Found."), says("Written."), says("Another."));
  const run = await ended(app, await start(app, twoSteps));
  expect(run.status).toBe("completed");
  const fork = await ended(app, await forkAt(app, run, { agent: "flow/find", type: "usage", nth: 2 }));
  expect(fork).toMatchObject({ status: "completed", agent: "flow" });
  expect(app.world.desk.calls).toHaveLength(1);
  expect(app.world.turns).toHaveLength(4);
  expect(app.world.turns[3]?.system).toContain("You are write.");
  expect(await words(app, fork)).toEqual(["flow/find: Found.", "flow/write: Another."]);
  expect(paths(await logOf(app, fork))).toEqual(paths(await logOf(app, run)));
  // What was copied has cost nothing a second time.
  expect(fork.result).toMatchObject({ usage: { inputTokens: 1, outputTokens: 1 }, iterationsUsed: 1 });
  expect(fork.result?.steps).toEqual(run.result?.steps);
  const copied = fork.options.forkedFrom?.copied ?? 0;
  expect(fork.options.forkedFrom).toMatchObject({ runId: run.id, edit: null });
  const mine = (await logOf(app, fork)).slice(copied);
  expect(mine.find(({ type }) => type === "iteration")).toMatchObject({ agent: "flow/write", index: 1 });
});

test("a call with other arguments runs alone, and its neighbour keeps its result", async () => {
  const two = [call("a", "desk__look", { n: 1 }), call("b", "desk__look", { n: 2 }), stop("tool_use")];
  const app = await startAlone(two, says("Found."), says("Written."), says("Anew."), says("Other."));
  const run = await ended(app, await start(app, twoSteps));
  const edit = { callId: "b", args: { n: 3 } };
  const fork = await ended(
    app,
    await forkAt(app, run, { agent: "flow/find", type: "tool_result", nth: 2 }, { edit }),
  );
  expect(fork.status).toBe("completed");
  expect(app.world.desk.calls.map(({ args }) => args)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  expect(await words(app, fork)).toEqual(["flow/find: Anew.", "flow/write: Other."]);
  const results = (await historyOf(app, fork)).flatMap((each) => (each.role === "tool" ? each.results : []));
  expect(results).toHaveLength(2);
  expect(modelHistory(app.world.turns[3]?.history ?? []).at(-1)).toMatchObject({
    results: [
      { id: "a", status: "ok" },
      { status: "ok", args: { n: 3 } },
    ],
  });
});

test("an edited result is what the agent reads, and words in place of its turn are what it puts out", async () => {
  const app = await startAlone(
    looks("a"),
    says("Found."),
    says("Written."),
    says("Anew."),
    says("Other."),
    says("Third."),
  );
  const run = await ended(
    app,
    await start(app, flow(llm("find"), llm("write", { instruction: "Use {find}." }))),
  );
  const content = [{ type: "text" as const, text: "By hand." }];
  const result = { callId: "a", result: { status: "ok" as const, content } };
  const place: Place = { agent: "flow/find", type: "tool_result" };
  const first = await ended(app, await forkAt(app, run, place, { edit: result }));
  expect(app.world.turns[3]?.history.at(-1)).toMatchObject({ results: [{ id: "a", by: "person", content }] });
  expect(first.status).toBe("completed");
  const second = await ended(app, await forkAt(app, run, place, { edit: { text: "I know." } }));
  expect(second.status).toBe("completed");
  expect(app.world.turns[5]?.system).toContain("Use I know.");
  expect(await words(app, second)).toEqual(["flow/find: I know.", "flow/write: Third."]);
  expect(await historyOf(app, second)).toMatchObject([
    { role: "user" },
    { by: "person" },
    { role: "assistant" },
  ]);
  expect(app.world.desk.calls).toHaveLength(1);
});

test("words in place of a round take the place of its turn, also where one that said nothing stands between", async () => {
  const two = [call("a", "desk__look", { n: 1 }), call("b", "desk__look", { n: 2 }), stop("tool_use")];
  const cut = [stop("max_tokens")];
  const app = await startAlone(two, cut, says("Found."), says("Written."), says("Anew."));
  const run = await ended(app, await start(app, twoSteps));
  const args = { edit: { callId: "b", args: { n: 3 } } };
  const first = await ended(app, await forkAt(app, run, { agent: "flow/find", type: "usage", nth: 2 }, args));
  expect(await words(app, first)).toEqual(["flow/find: Found.", "flow/write: Written."]);
  const round: Place = { agent: "flow/find", type: "tool_result", nth: 2 };
  const second = await ended(app, await forkAt(app, first, round, { edit: { text: "I know." } }));
  expect(await words(app, second)).toEqual(["flow/find: I know.", "flow/write: Anew."]);
  expect(await historyOf(app, second)).toMatchObject([
    { role: "user" },
    { by: "person" },
    { role: "assistant" },
  ]);
});

test("a fork in the second round of a loop keeps the first, and rounds go on from there", async () => {
  const loop: AgentNode = {
    ...{ type: "loop", name: "refine", maxIterations: 3 },
    agents: [llm("critic"), llm("writer")],
  };
  const turns = ["c1", "w1", "c2", "w2", "c3", "w3", "w2b", "c3b", "w3b", "end"].map(says);
  const app = await startAlone(...turns);
  const run = await ended(app, await start(app, flow(loop)));
  const fork = await ended(app, await forkAt(app, run, { agent: "flow/refine.2/critic", type: "usage" }));
  expect((await words(app, fork)).map((each) => each.split(": ")[1])).toEqual([
    "c1",
    "w1",
    "c2",
    "w2b",
    "c3b",
    "w3b",
  ]);
  expect(fork.result?.steps?.at(-1)).toMatchObject({ agent: "flow/refine", rounds: 3 });
  const gone = await ended(
    app,
    await forkAt(app, fork, { agent: "flow/refine.3/critic", type: "usage" }, { edit: { text: "Enough." } }),
  );
  expect((await words(app, gone)).map((each) => each.split(": ")[1])).toEqual([
    "c1",
    "w1",
    "c2",
    "w2b",
    "Enough.",
    "end",
  ]);
  expect(gone.options.forkedFrom).toMatchObject({ runId: fork.id, edit: { part: "text" } });
});

test("a round that left its loop is gone on from after it, and words in its place stay in the loop", async () => {
  const loop: AgentNode = {
    type: "loop",
    name: "refine",
    maxIterations: 2,
    agents: [llm("critic", { exitLoop: true })],
  };
  const leaves = [call("x", exitLoopTool), stop("tool_use")];
  const app = await startAlone(leaves, says("End."), says("End again."), says("Second."), says("End last."));
  const run = await ended(app, await start(app, flow(loop, llm("last"))));
  const place: Place = { agent: "flow/refine.1/critic", type: "tool_result" };
  const fork = await ended(app, await forkAt(app, run, place));
  expect(await words(app, fork)).toEqual(["flow/last: End again."]);
  const stays = await ended(app, await forkAt(app, run, place, { edit: { text: "Not yet." } }));
  expect((await words(app, stays)).map((each) => each.split(": ")[1])).toEqual([
    "Not yet.",
    "Second.",
    "End last.",
  ]);
});

test("an agent beside the one that is forked keeps all that it did", async () => {
  const both: AgentNode = { type: "parallel", name: "both", agents: [llm("left"), llm("right")] };
  const byAgent = { left: ["l1", "l2"], right: ["r1", "r2"], join: ["j1", "j2"] };
  const app = await startAlone();
  const asked: string[] = [];
  app.world.model.stream = async function* ({ system }) {
    const name = (/You are (left|right|join)/.exec(system)?.[1] ?? "") as keyof typeof byAgent;
    asked.push(name);
    // The right one is late, so that it has ended after the point.
    if (name === "right") await new Promise((resolve) => setImmediate(resolve));
    yield* says(byAgent[name].shift() ?? "?");
  };
  const run = await ended(app, await start(app, flow(both, llm("join"))));
  asked.length = 0;
  const edit = { text: "Mine." };
  const fork = await ended(app, await forkAt(app, run, { agent: "flow/both/left", type: "usage" }, { edit }));
  expect(asked).toEqual(["join"]);
  expect((await words(app, fork)).map((each) => each.split(": ")[1])).toEqual(["Mine.", "r1", "j2"]);
});

test("a call that waits for a person asks again in the fork, which is answered and goes on", async () => {
  const app = await startAlone(looks("a", "desk__work"), says("Found."), says("Written."), says("Other."));
  const run = await ended(app, await start(app, twoSteps));
  expect(run.status).toBe("waiting");
  const fork = await ended(
    app,
    await forkAt(app, run, { agent: "flow/find", type: "usage" }, { edit: { callId: "a", args: { n: 2 } } }),
  );
  expect(fork.status).toBe("waiting");
  const [asked] = (await logOf(app, fork)).filter((chunk) => chunk.type === "approval_request");
  expect(asked).toMatchObject({ call: { args: { n: 2 } } });
  expect(asked?.requestId).not.toBe("a");
  const { runId } = await answerRun(app, fork, { requestId: asked?.requestId ?? "", decision: "approve" });
  const last = await ended(app, { id: runId ?? "" });
  expect(last.status).toBe("completed");
  expect(app.world.desk.calls).toEqual([{ name: "work", args: { n: 2 } }]);
  expect(await words(app, last)).toEqual(["flow/find: Found.", "flow/write: Written."]);
  // The chain of the fork is forked as a whole.
  const place: Place = { agent: "flow/find", type: "usage" };
  const again = await ended(app, await forkAt(app, last, place, { edit: { text: "So." } }));
  expect(await words(app, again)).toEqual(["flow/find: So.", "flow/write: Other."]);
  expect(app.world.desk.calls).toHaveLength(1);
});

test("what a crash cut short is forked, and what the fork lost in one is gone on from its copies", async () => {
  const app = await startAlone(
    looks("a"),
    [text("Half "), never],
    [text("Other "), never],
    says("Found."),
    says("Written."),
  );
  const run = await start(app, twoSteps);
  await expect.poll(async () => (await logOf(app, run)).at(-1)?.type).toBe("text");
  const second = await restart(app);
  const cut = await stored(second, run.id);
  expect(cut.status).toBe("interrupted");
  const fork = await forkAt(second, cut, { agent: "flow/find", type: "tool_result" });
  await expect.poll(async () => (await logOf(second, fork)).at(-1)?.type).toBe("text");
  const third = await restart(second);
  const next = await ended(third, await resumeRun(third, await stored(third, fork.id)));
  expect(next.status).toBe("completed");
  expect(app.world.desk.calls).toHaveLength(1);
  expect(await words(third, next)).toEqual(["flow/find: Found.", "flow/write: Written."]);
});

test("a run that goes on is forked at what is stored, and each ends behind its own messages", async () => {
  const app = await startAlone(says("Found."), [text("Half "), never], says("Anew."));
  const run = await start(app, twoSteps);
  await expect.poll(async () => (await logOf(app, run)).at(-1)?.type).toBe("text");
  const fork = await ended(app, await forkAt(app, run, { agent: "flow/find", type: "usage" }));
  expect(fork.status).toBe("completed");
  expect(await words(app, fork)).toEqual(["flow/find: Found.", "flow/write: Anew."]);
  expect((await stored(app, run.id)).status).toBe("running");
});

test("an agent in TypeScript has no steps, nor has an event that ends none; a call of another agent is not edited", async () => {
  const app = await startAlone(looks("a"), says("Found."), looks("b"), says("Written."));
  const run = await ended(app, await start(app, { ...twoSteps, result: "write" }));
  const log = await logOf(app, run);
  const own = log.findIndex(({ type, agent }) => type === "usage" && agent === "flow/result") + 1;
  expect(own).toBeGreaterThan(0);
  const at = (afterSeq: number) => forkRun(app, run, { afterSeq, title: undefined });
  await expect(at(own)).rejects.toMatchObject({
    status: 422,
    message: expect.stringContaining("TypeScript"),
  });
  const last = await seqOf(app, run, { agent: "flow/write", type: "usage", nth: 2 });
  await expect(at(own - 1)).rejects.toMatchObject({
    ...{ status: 400, code: "not_a_step", details: { before: last, after: null } },
  });
  const edit = { callId: "a", args: { n: 2 } };
  await expect(forkAt(app, run, { agent: "flow/write", type: "usage" }, { edit })).rejects.toMatchObject({
    status: 400,
    message: expect.stringContaining("another agent"),
  });
});

test("a crash leaves the messages of a step that had ended once", async () => {
  const app = await startAlone(says("Found."), [text("Half "), never]);
  const run = await start(app, twoSteps);
  await expect.poll(async () => (await logOf(app, run)).at(-1)?.type).toBe("text");
  const next = await restart(app);
  expect(await words(next, await stored(next, run.id))).toEqual(["flow/find: Found."]);
});
