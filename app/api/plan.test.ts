import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Chunk, PendingRequest } from "@/lib/protocol/chunk";
import { callTools, type Step, say } from "@/lib/providers/testing/steps";
import { callApi, readStream } from "./testing/call-api";
import { detail, folder, follow, fork, model, resultsIn, run, script, seqOf } from "./testing/fork";
import { asked, eachKind, goOn, post, refusedAnswer, restart } from "./testing/go-on";

const tool = "filesystem__write_file";
const file = (name: string) => join(folder, name);
const write = (name: string, content = "hi") => ({ name: tool, args: { path: file(name), content } });
const propose = (...steps: unknown[]) => ({ name: "meguri__propose_plan", args: { steps } });
const read = (name: string) => readFile(file(name), "utf8");

const ask = async (...turns: Step[][]) => {
  script.turns = turns;
  const body = { model: "openai/test", message: { text: "Look" }, options: { plan: true } };
  return readStream(await callApi("POST", "/api/chat", body));
};
const questionsOf = (runId: string) => asked<PendingRequest & { type: "approval_request" }>(runId);
const approve = (runId: string, more: object = {}) => goOn(runId, { decision: "approve", ...more });
const takeBack = async (runId: string) => {
  const response = await callApi("DELETE", `/api/runs/${runId}/plan`);
  return [response.status, (await response.json()).error?.code];
};
const usesOf = (chunks: readonly Chunk[]) =>
  chunks.flatMap((chunk) => (chunk.type === "tool_start" ? (chunk.plan?.step ?? "outside") : []));
const usedOf = async (runId: string) =>
  (await run(runId)).plan?.steps.map(({ used, max }) => `${used}/${max}`);

test("a plan is approved once, its calls run without a question, and any other asks and says why", async () => {
  const first = await ask(
    [callTools(propose({ tool, max: 2, fixed: { content: "hi" } }))],
    [callTools(write("a.txt"), write("b.txt"))],
    [callTools(write("c.txt"), write("d.txt", "other"))],
    [say("Done.")],
  );
  expect([eachKind(first.chunks), first.status]).toEqual([
    "iteration tool_call approval_request result",
    "waiting",
  ]);
  const [question] = await questionsOf(first.runId);
  expect(question).toMatchObject({
    reason: "plan",
    plan: { steps: [{ tool, max: 2, fixed: { content: "hi" }, used: 0, destructive: true }] },
  });
  const second = await approve(first.runId);
  expect(eachKind(second.chunks)).toBe(
    "answer tool_result iteration tool_call tool_call tool_start tool_start tool_result tool_result iteration tool_call tool_call approval_request approval_request result",
  );
  expect(usesOf(second.chunks)).toEqual([0, 0]);
  expect([await read("a.txt"), await read("b.txt")]).toEqual(["hi", "hi"]);
  const outside = (await questionsOf(second.runId)).map((each) => each.outside);
  expect(outside).toEqual([
    { why: "used_up", step: 0 },
    { why: "arguments", step: 0, arguments: ["content"] },
  ]);
  expect(await usedOf(second.runId)).toEqual(["2/2"]);
  await expect(read("c.txt")).rejects.toThrow();
});

test("without the option nothing is offered, and what the model calls all the same is no tool", async () => {
  script.turns = [[callTools(propose({ tool, max: 2 }))], [say("Oh.")]];
  const body = { model: "openai/test", message: { text: "Look" } };
  const { chunks } = await readStream(await callApi("POST", "/api/chat", body));
  expect(eachKind(chunks)).toBe("iteration tool_call tool_result iteration text result");
  expect(JSON.stringify(model.requests.at(-2)?.body)).not.toContain("propose_plan");
});

describe("a person", () => {
  test("makes it narrower, never wider, and what does not fit leaves the question open", async () => {
    const first = await ask(
      [callTools(propose({ tool, max: 3 }, { tool, max: 1, fixed: { path: file("x.txt") } }))],
      [callTools(write("a.txt"), write("b.txt"))],
    );
    const { runId } = first;
    const give = (...steps: unknown[]) => refusedAnswer(runId, { decision: "approve", plan: { steps } });
    expect(await give({ tool, max: 4 })).toEqual([400, expect.stringMatching(/^plan\.steps\.0\.max: /)]);
    expect(await give({ tool: "filesystem__move_file", max: 1 })).toEqual([
      400,
      expect.stringMatching(/^plan\.steps\.0\.tool: /),
    ]);
    expect(await give({ tool, max: 3 }, { tool, max: 1 })).toEqual([
      400,
      expect.stringMatching(/^plan\.steps\.1\.fixed\.path: /),
    ]);
    expect(await give({ tool, max: 3 }, { tool, max: 3 })).toEqual([
      400,
      expect.stringMatching(/^plan\.steps\.1\./),
    ]);
    expect(await give({ tool, max: "2" })).toEqual([400, expect.stringMatching(/^plan\.steps\.0\.max: /)]);
    expect(await give({ tool, max: 2, used: 0 })).toEqual([400, expect.stringMatching(/^plan\.steps\.0/)]);
    expect(await refusedAnswer(runId, { decision: "approve", args: {} })).toEqual([
      400,
      expect.stringMatching(/^args: /),
    ]);
    expect(await refusedAnswer(runId, { decision: "approve", addToPlan: true })).toEqual([
      400,
      expect.stringMatching(/^addToPlan: /),
    ]);
    expect(await refusedAnswer(runId, { decision: "deny", plan: { steps: [] } })).toEqual([
      400,
      expect.stringMatching(/^plan: /),
    ]);
    const second = await approve(runId, { plan: { steps: [{ tool, max: 1, fixed: { content: "hi" } }] } });
    const [told] = resultsIn((await detail(first.conversationId)).messages);
    expect(told?.content).toMatchObject([{ text: expect.stringMatching(/narrower.*\n.*"max":1/) }]);
    expect(await usedOf(second.runId)).toEqual(["1/1"]);
    expect((await questionsOf(second.runId)).map((each) => each.outside)).toEqual([
      { why: "used_up", step: 0 },
    ]);
  });

  test("declines it with a reason, or leaves no step: then each call asks", async () => {
    const first = await ask([callTools(propose({ tool, max: 1 }))], [callTools(write("e.txt"))]);
    const second = await goOn(first.runId, { decision: "deny", reason: "Smaller, please." });
    expect(resultsIn((await detail(first.conversationId)).messages)).toMatchObject([
      { status: "denied", content: [{ text: "Smaller, please." }] },
    ]);
    expect(await questionsOf(second.runId)).toMatchObject([{ reason: "rule" }]);
    expect((await questionsOf(second.runId))[0]?.outside).toBeUndefined();
    expect(await refusedAnswer(second.runId, { decision: "approve", addToPlan: true })).toEqual([
      400,
      expect.stringMatching(/^addToPlan: no plan held/),
    ]);
    const other = await ask([callTools(propose({ tool, max: 1 }))], [callTools(write("e.txt"))]);
    const next = await approve(other.runId, { plan: { steps: [] } });
    expect(await questionsOf(next.runId)).toMatchObject([{ reason: "rule" }]);
    await expect(read("e.txt")).rejects.toThrow();
  });

  test("puts a call into it: it counts there, and the same once more asks", async () => {
    const first = await ask(
      [callTools(propose({ tool, max: 1, fixed: { content: "hi" } }))],
      [callTools(write("f.txt", "else"))],
      [callTools(write("f.txt", "else"))],
    );
    const second = await approve(first.runId);
    const third = await approve(second.runId, { addToPlan: true });
    expect(usesOf(third.chunks)).toEqual([1]);
    expect(await usedOf(third.runId)).toEqual(["0/1", "1/1"]);
    expect((await questionsOf(third.runId))[0]?.outside).toEqual({ why: "used_up", step: 1 });
  });

  test("takes it back while the run waits, and any page of the answer can; then its calls ask", async () => {
    const first = await ask(
      [callTools(propose({ tool, max: 5, fixed: { content: "hi" } }))],
      [callTools(write("g.txt"), write("h.txt", "else"))],
      [callTools(write("i.txt"))],
    );
    expect(await takeBack(first.runId)).toEqual([409, "no_plan"]);
    const second = await approve(first.runId);
    expect(await usedOf(second.runId)).toEqual(["1/5"]);
    expect(await takeBack(first.runId)).toEqual([200, undefined]);
    expect(await takeBack(second.runId)).toEqual([409, "no_plan"]);
    expect((await run(second.runId)).plan).toBeNull();
    await restart();
    const third = await goOn(second.runId, { decision: "deny" });
    expect(await questionsOf(third.runId)).toMatchObject([
      { reason: "rule", call: { args: { path: file("i.txt") } } },
    ]);
    await callApi("POST", `/api/runs/${third.runId}/stop`, {});
    expect(await takeBack(third.runId)).toEqual([409, "run_ended"]);
  });

  test("takes it back while the run goes on", async () => {
    const held = Promise.withResolvers<void>();
    const first = await ask(
      [callTools(propose({ tool, max: 5 }))],
      [{ type: "until", done: held.promise }, callTools(write("j.txt"))],
    );
    const before = model.requests.length;
    const response = await post(first.runId, {
      requestId: (await questionsOf(first.runId))[0]?.requestId,
      decision: "approve",
    });
    const { runId } = await response.json();
    await expect.poll(() => model.requests.length).toBe(before + 1);
    expect(await takeBack(runId)).toEqual([200, undefined]);
    held.resolve();
    await follow(runId);
    expect(await questionsOf(runId)).toMatchObject([{ reason: "rule" }]);
    await expect(read("j.txt")).rejects.toThrow();
  });
});

test("of two tabs that answer one wins, and what is used survives a restart", async () => {
  const first = await ask(
    [callTools(propose({ tool, max: 2, fixed: { content: "hi" } }))],
    [callTools(write("k.txt"), write("l.txt", "else"))],
    [callTools(write("m.txt"), write("n.txt"))],
  );
  const [question] = await questionsOf(first.runId);
  const body = { requestId: question?.requestId, decision: "approve" };
  const responses = await Promise.all([post(first.runId, body), post(first.runId, body)]);
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const [{ runId }] = await Promise.all(
    responses.filter(({ status }) => status === 200).map((each) => each.json()),
  );
  await follow(runId);
  expect(await usedOf(runId)).toEqual(["1/2"]);
  await restart();
  expect(await usedOf(runId)).toEqual(["1/2"]);
  const next = await goOn(runId, { decision: "deny" });
  // One of the two that are asked for side by side has room.
  expect(usesOf(next.chunks)).toEqual([0]);
  expect((await questionsOf(next.runId)).map((each) => each.outside)).toEqual([{ why: "used_up", step: 0 }]);
});

test("a stopped answer has no plan when it is resumed, and a fork has none", async () => {
  const first = await ask(
    [callTools(propose({ tool, max: 5, fixed: { content: "hi" } }))],
    [callTools(write("o.txt", "else"))],
    [callTools(write("p.txt"))],
  );
  const second = await approve(first.runId);
  const forked = await (await fork(second.runId, { afterSeq: seqOf(second.chunks, "usage") })).json();
  await follow(forked.runId);
  expect((await questionsOf(forked.runId))[0]?.outside).toBeUndefined();
  expect((await run(forked.runId)).plan).toBeNull();
  await callApi("POST", `/api/runs/${second.runId}/stop`, {});
  const resumed = await (await callApi("POST", `/api/runs/${second.runId}/resume`, {})).json();
  await follow(resumed.runId);
  expect(await questionsOf(resumed.runId)).toMatchObject([{ call: { args: { path: file("p.txt") } } }]);
});

test("a proposal that cannot be approved is answered with what to change", async () => {
  const wrong = [
    propose(),
    propose({ tool, max: 0 }),
    propose({ tool, max: 201 }),
    propose({ tool: "filesystem__nothing", max: 1 }),
    propose({ tool, max: 1, fixed: { path: 3 } }),
    propose({ tool, max: 1, fixed: { nothing: 1 } }),
    propose({ tool, max: 1, fixed: { content: "x".repeat(20_000) } }),
    propose(...Array.from({ length: 21 }, () => ({ tool, max: 1 }))),
    propose({ tool: "meguri__propose_plan", max: 1 }),
  ];
  const { chunks, status } = await ask([callTools(...wrong)], [say("I see.")]);
  expect(status).toBe("completed");
  const texts = chunks.flatMap((chunk) =>
    chunk.type === "tool_result"
      ? chunk.result.content.map((part) => (part.type === "text" ? part.text : ""))
      : [],
  );
  expect(texts).toEqual([
    expect.stringMatching(/^Not proposed: \/steps: /),
    expect.stringMatching(/^Not proposed: \/steps\/0\/max: /),
    expect.stringMatching(/^Not proposed: \/steps\/0\/max: /),
    expect.stringMatching(/^Not proposed: \/steps\/0: there is no tool filesystem__nothing/),
    expect.stringMatching(/^Not proposed: \/steps\/0: fixed does not fit .*path: /),
    expect.stringMatching(/^Not proposed: \/steps\/0: fixed names nothing/),
    expect.stringMatching(/^Not proposed: a plan has at most 20000 characters/),
    expect.stringMatching(/^Not proposed: \/steps: /),
    expect.stringMatching(/^Not proposed: \/steps\/0: there is no tool/),
  ]);
});

test("a rule that denies is not in a plan, and one that is made later counts", async () => {
  const rules = (...all: unknown[]) => callApi("PATCH", "/api/settings", { rules: all });
  const deny = { pattern: "mcp:filesystem:write_file", effect: "deny" };
  await rules(deny);
  const refusal = await ask([callTools(propose({ tool, max: 1 }))], [say("I see.")]);
  expect(resultsIn((await detail(refusal.conversationId)).messages)[0]?.content).toMatchObject([
    { text: expect.stringMatching(/cannot be in a plan: The rule mcp:filesystem:write_file forbids/) },
  ]);
  await rules();
  const first = await ask([callTools(propose({ tool, max: 1 }))], [callTools(write("q.txt"))], [say("Oh.")]);
  await rules(deny);
  const second = await approve(first.runId);
  await rules();
  expect([eachKind(second.chunks), second.status]).toEqual([
    "answer tool_result iteration tool_call tool_result iteration text result",
    "completed",
  ]);
});

test("a rule offers it as well, asks for each call outside, and a request can do without", async () => {
  await callApi("PATCH", "/api/settings", { rules: [{ pattern: "mcp:filesystem:*", effect: "plan" }] });
  const offered = async (options: object) => {
    script.turns = [[callTools(write("r.txt"))]];
    const body = { model: "openai/test", message: { text: "Look" }, options };
    const { runId } = await readStream(await callApi("POST", "/api/chat", body));
    expect(await questionsOf(runId)).toMatchObject([{ reason: "rule" }]);
    return JSON.stringify(model.requests.at(-1)?.body).includes("meguri__propose_plan");
  };
  expect([await offered({}), await offered({ plan: false })]).toEqual([true, false]);
  await callApi("PATCH", "/api/settings", { rules: [] });
});
