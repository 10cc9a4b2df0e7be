import { expect, test } from "vitest";
import { say, usage } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi } from "./testing/call-api";
import {
  begin,
  cellOf,
  json,
  look,
  lookElsewhere,
  model,
  read,
  record,
  refusal,
  restart,
  run,
  script,
  statuses,
  together,
  until,
  untilStatus,
} from "./testing/matrix";

const inWords = expect.any(String);
const priced = { "openai/one": { input: 1, output: 1 }, "openai/two": { input: 1, output: 1 } };
const named = (...names: string[]) => names.map((name) => `openai/${name}`);
const raise = (id: string, budget: object) => json("PATCH", `/api/matrix/${id}`, { budget });
/** A call and words, each turn with this many tokens. */
const turns = (tokens: number, count = 1) => {
  script.play = together(count, ({ toolResults }) => [
    ...(toolResults.length === 0 ? [look] : [say("So it is.")]),
    usage(tokens - 1, 1),
  ]);
};
const chainsOf = async (ids: readonly (string | null)[]) => {
  const { store } = await getDeps();
  const firsts = await store.runs.many(ids.flatMap((id) => id ?? []));
  return Promise.all(
    firsts.map(async (row) => (await store.runs.ofMessage(row.conversationId, row.messageId)).length),
  );
};

test("used up, it pauses before the next turn of each cell; a larger budget goes on where it was", async () => {
  const tapes = [await record("One?"), await record("Two?")];
  turns(100);
  const id = await begin({
    ...{ runIds: tapes, models: named("a", "b", "c"), budget: { tokens: 500 } },
  });
  const paused = await untilStatus(id, "paused");
  expect(paused.spent.tokens).toBeGreaterThanOrEqual(500);
  expect(paused.spent.tokens).toBeLessThan(500 + 4 * 100);
  expect(statuses(paused)).toMatch(/paused|queued/);
  const { tokens } = paused.spent;
  expect(await refusal("PATCH", `/api/matrix/${id}`, { budget: { tokens } })).toEqual([
    ...[400, "invalid_input", expect.stringContaining("budget.tokens:")],
  ]);
  expect(await read(id)).toEqual(paused);

  const asked = model.requests.length;
  await raise(id, { tokens: tokens + 1 });
  const again = await untilStatus(id, "paused");
  expect(again.spent.tokens).toBeGreaterThan(tokens);
  expect(model.requests.length - asked).toBeLessThanOrEqual(4);

  await raise(id, { tokens: 100_000 });
  const done = await untilStatus(id, "completed");
  expect(statuses(done)).toBe("completed completed completed completed completed completed");
  expect(done.spent.tokens).toBe(6 * 2 * 100);
  expect(done.cells.every(({ sameCalls, loops, calls }) => sameCalls && loops === 2 && calls === 1)).toBe(
    true,
  );
});

test("a person who lets one paused cell go on lets that one alone", async () => {
  const tape = await record();
  turns(100, 2);
  const id = await begin({ runIds: [tape], models: named("a", "b"), budget: { tokens: 100 } });
  const paused = await untilStatus(id, "paused");
  expect(statuses(paused)).toBe("paused paused");
  const { result } = cellOf(paused, 0);
  const { pending } = await run(result ?? "");
  expect(pending).toMatchObject([{ type: "budget_request", limit: "tokens", of: 100, matrix: id }]);
  await callApi("POST", `/api/runs/${result}/answer`, {
    requestId: pending[0]?.requestId,
    decision: "more",
    budget: { tokens: 500 },
  });
  const matrix = await until(id, (now) => statuses(now) === "completed paused");
  expect(matrix).toMatchObject({ status: "paused", budget: { tokens: 100 }, spent: { tokens: 300 } });
});

test("a budget of money asks about a model that nobody knows the price of, unless it is told to run", async () => {
  const tape = await record();
  await callApi("PATCH", "/api/settings", { prices: priced });
  turns(1_000);
  const body = { runIds: [tape], models: named("one", "unknown"), budget: { cost: 1 } };
  const asking = await untilStatus(await begin(body), "waiting");
  expect(asking.cells).toMatchObject([
    { status: "completed", cost: 0.002 },
    { status: "waiting", cost: null, asks: { kind: "limit", limit: "price", tool: null } },
  ]);
  expect(asking.spent).toEqual({ tokens: 2_000, cost: 0.002 });
  await raise(asking.id, { cost: 2 });
  expect(statuses(await untilStatus(asking.id, "waiting"))).toBe("completed waiting");
  const { pending } = await run(cellOf(asking, 1).result ?? "");
  await callApi("POST", `/api/runs/${cellOf(asking, 1).result}/answer`, {
    requestId: pending[0]?.requestId,
    decision: "more",
  });
  expect(statuses(await untilStatus(asking.id, "completed"))).toBe("completed completed");

  const running = await untilStatus(await begin({ ...body, unpriced: "run" }), "completed");
  expect(running.cells).toMatchObject([{ cost: 0.002 }, { cost: null, loops: 2 }]);
  const money = await begin({ ...body, models: named("one", "two"), budget: { cost: 0.001 } });
  const paused = await untilStatus(money, "paused");
  expect(paused.spent.cost).toBeGreaterThanOrEqual(0.001);
  expect(paused.spent.cost).toBeLessThanOrEqual(0.002);
});

test("money that is limited while a cell runs is asked about before its next turn", async () => {
  const tape = await record();
  const gate = Promise.withResolvers<void>();
  script.play = async ({ toolResults }) => {
    await gate.promise;
    return toolResults.length === 0 ? [look] : [say("So it is.")];
  };
  const id = await begin({ runIds: [tape], models: named("unknown"), budget: { tokens: 1_000_000 } });
  await until(id, (matrix) => statuses(matrix) === "running");
  await raise(id, { tokens: 1_000_000, cost: 1 });
  gate.resolve();
  const waiting = await untilStatus(id, "waiting", "completed");
  expect(waiting.cells).toMatchObject([{ status: "waiting", asks: { kind: "limit", limit: "price" } }]);
});

test("a cell whose call is not recorded asks, and what it asks is told", async () => {
  const tape = await record();
  script.play = ({ toolResults }) => (toolResults.length === 0 ? [lookElsewhere] : [say("Done.")]);
  const id = await begin({ runIds: [tape], models: named("a"), tape: "ask" });
  const waiting = await untilStatus(id, "waiting");
  expect(waiting.cells).toMatchObject([
    { status: "waiting", asks: { kind: "call", tool: "filesystem__list_directory", limit: null } },
  ]);
  const { result } = cellOf(waiting, 0);
  const { pending } = await run(result ?? "");
  await callApi("POST", `/api/runs/${result}/answer`, {
    requestId: pending[0]?.requestId,
    decision: "deny",
  });
  const done = await untilStatus(id, "completed");
  expect(done.cells).toMatchObject([{ status: "completed", result, sameCalls: false, sent: 0 }]);
});

test("whatever turns cost, never more is spent than the budget and what was running when it was reached", async () => {
  const tape = await record();
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
    return 1 + (seed % below);
  };
  for (let round = 0; round < 6; round++) {
    const sizes: number[] = [];
    script.play = ({ toolResults }) => {
      const tokens = 1 + random(400);
      sizes.push(tokens);
      const goesOn = toolResults.length < random(4);
      return [...(goesOn ? [look] : [say("Enough.")]), usage(tokens - 1, 1)];
    };
    const tokens = 200 + random(1_500);
    const id = await begin({
      runIds: [tape],
      models: named("a", "b", "c", "d", "e", "f"),
      budget: { tokens },
    });
    const { spent, status } = await untilStatus(id, "paused", "completed");
    const largest = sizes.toSorted((a, b) => b - a).slice(0, 4);
    expect(spent.tokens).toBe(sizes.reduce((sum, size) => sum + size, 0));
    expect(spent.tokens).toBeLessThan(tokens + largest.reduce((sum, size) => sum + size, 0));
    if (status === "paused") expect(spent.tokens).toBeGreaterThanOrEqual(tokens);
    await callApi("POST", `/api/matrix/${id}/stop`, {});
    expect((await read(id)).spent).toEqual(spent);
  }
});

test("a start goes on: what was cut short is interrupted, what was queued begins, what was used counts", async () => {
  const tape = await record();
  turns(100);
  const pausedId = await begin({ runIds: [tape], models: named("a", "b", "c"), budget: { tokens: 250 } });
  const paused = await untilStatus(pausedId, "paused");
  script.play = () => [{ type: "hang" }];
  const before = model.requests.length;
  const id = await begin({ runIds: [tape], models: named("a", "b", "c", "d", "e", "f") });
  await expect.poll(() => model.requests.length - before).toBe(4);
  script.play = () => [say("Begun again."), usage(99, 1)];
  await restart();
  const done = await untilStatus(id, "completed");
  expect(statuses(done)).toBe("interrupted interrupted interrupted interrupted completed completed");
  expect(done.spent.tokens).toBe(200);
  expect(await read(pausedId)).toEqual(paused);
  turns(100);
  await raise(pausedId, { tokens: 10_000 });
  const whole = await untilStatus(pausedId, "completed");
  expect(whole.spent.tokens).toBe(600);
  expect(await chainsOf(whole.cells.map(({ result }) => result))).not.toContain(0);
});

test("a start ends what a process that died was stopping", async () => {
  const tape = await record();
  turns(100, 3);
  const id = await begin({ runIds: [tape], models: named("a", "b", "c"), budget: { tokens: 100 } });
  await untilStatus(id, "paused");
  const { store } = await getDeps();
  await store.matrices.setState(id, ["open"], "stopping");
  await restart();
  await expect.poll(async () => (await (await getDeps()).store.matrices.find(id))?.state).toBe("stopped");
  expect(statuses(await read(id))).toBe("stopped stopped stopped");
  expect(await refusal("PATCH", `/api/matrix/${id}`, { budget: { tokens: 900 } })).toEqual([
    ...[409, "matrix_stopped", inWords],
  ]);
});
