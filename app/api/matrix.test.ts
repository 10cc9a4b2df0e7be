import { expect, test } from "vitest";
import { fail, say } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { callApi, readStream } from "./testing/call-api";
import {
  ample,
  begin,
  cellOf,
  follow,
  json,
  look,
  lookElsewhere,
  model,
  read,
  record,
  refusal,
  run,
  script,
  statuses,
  until,
  untilStatus,
} from "./testing/matrix";

const inWords = expect.any(String);

test("each model answers each recorded question once, beside the answer that is shown", async () => {
  const tapes = [await record("One?"), await record("Two?")];
  script.play = ({ model: asked, toolResults, lastUserText }) => {
    if (asked === "quick") return [say("Guessed.")];
    return toolResults.length === 0 ? [look] : [say(lastUserText === "One?" ? "So it is." : "Or not.")];
  };
  const id = await begin({ runIds: tapes, models: ["openai/careful", "openai/quick"] });
  const matrix = await untilStatus(id, "completed");
  expect(matrix.cells).toMatchObject([
    { runId: tapes[0], model: "openai/careful", sameCalls: true, sameAnswer: true, loops: 2, calls: 1 },
    { runId: tapes[0], model: "openai/quick", sameCalls: false, sameAnswer: false, loops: 1, calls: 0 },
    { runId: tapes[1], model: "openai/careful", sameCalls: true, sameAnswer: false },
    { runId: tapes[1], model: "openai/quick", sameCalls: false, sameAnswer: false },
  ]);
  expect(matrix).toMatchObject({
    ...{ tape: "strict", budget: ample, models: ["openai/careful", "openai/quick"], unpriced: "ask" },
    tapes: [
      { runId: tapes[0], question: "One?", isGone: false, calls: 1 },
      { runId: tapes[1], question: "Two?" },
    ],
  });
  const used = matrix.cells.reduce((sum, { usage }) => sum + usage.inputTokens + usage.outputTokens, 0);
  expect(matrix.spent).toEqual({ tokens: used, cost: 0 });
  const first = await run(cellOf(matrix, 0).result ?? "");
  expect(first).toMatchObject({ rerunOf: { runId: tapes[0], tape: "strict" }, matrix: id });
  const later = await begin({ runIds: [tapes[0] as string], models: ["openai/quick"] });
  await untilStatus(later, "completed");
  expect((await run(tapes[0] as string)).matrices).toMatchObject([
    { id: later, models: 1, recordings: 1 },
    { id, models: 2, recordings: 2, createdAt: matrix.createdAt },
  ]);
  expect((await run(tapes[1] as string)).matrices).toMatchObject([{ id }]);
  expect(first).not.toHaveProperty("matrices");
  const { messages } = await json<{ messages: { id: string; siblings?: string[] }[] }>(
    "GET",
    `/api/conversations/${first.conversationId}`,
  );
  expect(messages[0]?.siblings).toHaveLength(4);
  expect(messages[0]?.id).toBe((await run(tapes[0] as string)).messageId);
});

test("at most four cells run at once, at most eight of all matrices, and the next begins when one has ended", async () => {
  const tapes = [await record("A?"), await record("B?")];
  const gates: (() => void)[] = [];
  script.play = async () => {
    await new Promise<void>((resolve) => gates.push(resolve));
    return [say("Late.")];
  };
  const models = ["openai/a", "openai/b", "openai/c"];
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) ids.push(await begin({ runIds: tapes, models }));
  const running = async () => {
    const all = await Promise.all(ids.map(read));
    return all.map(({ cells }) => cells.filter(({ status }) => status === "running").length);
  };
  await expect.poll(() => gates.length).toBe(8);
  expect(await running()).toEqual([4, 4, 0]);
  let most = 8;
  for (let ended = 0; ended < 18; ended++) {
    await expect.poll(() => gates.length).toBeGreaterThan(0);
    gates.shift()?.();
    const now = await running();
    most = Math.max(
      most,
      now.reduce((sum, count) => sum + count, 0),
    );
    expect(now.every((count) => count <= 4)).toBe(true);
  }
  for (const id of ids) expect((await untilStatus(id, "completed")).cells).toHaveLength(6);
  expect(most).toBe(8);
});

test("a cell that fails says why", async () => {
  const tape = await record();
  script.play = ({ model: asked, toolResults }) => {
    if (asked === "down") return [fail(400, "No such model here.")];
    return toolResults.length === 0 ? [lookElsewhere] : [say("Done.")];
  };
  const id = await begin({ runIds: [tape], models: ["openai/down", "openai/other"], tape: "strict" });
  const matrix = await untilStatus(id, "completed");
  expect(statuses(matrix)).toBe("failed failed");
  expect(cellOf(matrix, 0).error?.code).toEqual(inWords);
  expect(cellOf(matrix, 1).error?.code).toBe("tape_miss");
});

test("stopped, what runs and waits ends, what is queued never begins, and no budget opens it again", async () => {
  const tape = await record();
  script.play = () => [{ type: "hang" }];
  const id = await begin({
    runIds: [tape],
    models: ["a", "b", "c", "d", "e"].map((name) => `openai/${name}`),
  });
  await until(id, (matrix) => statuses(matrix) === "running running running running queued");
  const stopped = await json("POST", `/api/matrix/${id}/stop`, {});
  expect(stopped.status).toBe("stopped");
  expect(statuses(await read(id))).toBe("stopped stopped stopped stopped stopped");
  expect((await read(id)).cells[4]?.result).toBeNull();
  expect((await json("POST", `/api/matrix/${id}/stop`, {})).status).toBe("stopped");
  expect(await refusal("PATCH", `/api/matrix/${id}`, { budget: { tokens: 9_000_000 } })).toEqual([
    ...[409, "matrix_stopped", inWords],
  ]);
});

test("a recording that is deleted is gone, with its answers; the other cells stay", async () => {
  const tapes = [await record("Stays?"), await record("Goes?")];
  const id = await begin({ runIds: tapes, models: ["openai/other"] });
  await untilStatus(id, "completed");
  const { conversationId } = await run(tapes[1] as string);
  await callApi("DELETE", `/api/conversations/${conversationId}`);
  const matrix = await read(id);
  expect([statuses(matrix), matrix.tapes.map(({ isGone }) => isGone)]).toEqual([
    "completed gone",
    [false, true],
  ]);
});

test("one that is deleted before its turn has come is gone, and the rest goes on", async () => {
  const tapes = [await record("Stays?"), await record("Goes?")];
  const gate = Promise.withResolvers<void>();
  script.play = async () => {
    await gate.promise;
    return [say("Late.")];
  };
  const models = ["a", "b", "c", "d"].map((name) => `openai/${name}`);
  const id = await begin({ runIds: tapes, models });
  await callApi("DELETE", `/api/conversations/${(await run(tapes[1] as string)).conversationId}`);
  gate.resolve();
  await untilStatus(id, "completed");
  const matrix = await until(id, ({ cells }) => cells[7]?.error?.code === "gone");
  expect(statuses(matrix)).toBe("completed completed completed completed gone gone gone gone");
});

test("what cannot be begun is refused by name, and nothing is stored", async () => {
  const tape = await record();
  const body = { runIds: [tape], models: ["openai/x"], tape: "strict", budget: ample };
  const bad = (field: string) => [400, "invalid_input", expect.stringContaining(`${field}:`)];
  const post = (more: object) => refusal("POST", "/api/matrix", { ...body, ...more });
  const asked = model.requests.length;
  const { matrices } = (await getDeps()).store;
  const stored = async () => (await matrices.inState(["open", "stopping", "stopped", "ended"])).length;
  const before = await stored();
  const many = (count: number) => Array.from({ length: count }, (_, at) => `openai/m${at}`);
  expect(await post({ runIds: [] })).toEqual(bad("runIds"));
  expect(await post({ runIds: many(7) })).toEqual(bad("runIds"));
  expect(await post({ runIds: [tape, tape] })).toEqual(bad("runIds"));
  expect(await post({ models: [] })).toEqual(bad("models"));
  expect(await post({ models: many(7) })).toEqual(bad("models"));
  expect(await post({ models: ["openai/x", "openai/x"] })).toEqual(bad("models"));
  expect(await post({ models: ["x"] })).toEqual(bad("models.0"));
  expect(await post({ models: ["nobody/none"] })).toEqual([400, "unknown_model", inWords]);
  expect(await post({ tape: "loose" })).toEqual(bad("tape"));
  expect(await post({ budget: {} })).toEqual(bad("budget"));
  expect(await post({ budget: undefined })).toEqual(bad("budget"));
  expect(await post({ budget: { tokens: 0 } })).toEqual(bad("budget.tokens"));
  expect(await post({ budget: { timeMs: 1_000 } })).toEqual(bad("budget.timeMs"));
  expect(await post({ unpriced: "maybe" })).toEqual(bad("unpriced"));
  expect(await post({ more: 1 })).toEqual(bad("more"));
  expect(await post({ runIds: ["none"] })).toEqual([404, "not_found", inWords]);
  const workflow = await readStream(
    await callApi("POST", "/api/chat", {
      message: { text: "Plan" },
      agent: "document",
      model: "demo/demo",
    }),
  );
  expect(await post({ runIds: [workflow.runId] })).toEqual([422, "not_supported", inWords]);
  const bare = await record("Bare?");
  await (await getDeps()).store.log.delete([bare]);
  expect(await post({ runIds: [tape, bare] })).toEqual([422, "no_recording", inWords]);
  script.play = () => [say("Shown to nobody.")];
  const temporary = await readStream(
    await callApi("POST", "/api/chat", {
      message: { text: "Hush" },
      model: "openai/first",
      temporary: true,
    }),
  );
  expect(await post({ runIds: [temporary.runId] })).toEqual([409, "temporary", inWords]);
  script.play = () => [{ type: "hang" }];
  const { runId } = await json<{ runId: string }>("POST", `/api/runs/${tape}/rerun`, { tape: "strict" });
  expect(await post({ runIds: [runId] })).toEqual([409, "run_active", inWords]);
  await callApi("POST", `/api/runs/${runId}/stop`, {});
  expect(await refusal("GET", "/api/matrix/none")).toEqual([404, "not_found", inWords]);
  expect(await refusal("PATCH", "/api/matrix/none", { budget: ample })).toEqual([404, "not_found", inWords]);
  expect(await refusal("POST", "/api/matrix/none/stop", {})).toEqual([404, "not_found", inWords]);
  expect(model.requests.filter(({ model: name }) => name === "x")).toEqual([]);
  expect(model.requests.length).toBeLessThan(asked + 10);
  expect(await stored()).toBe(before);
});

test("a cell that is forked, or run again, is a cell no more", async () => {
  const tape = await record();
  const id = await begin({ runIds: [tape], models: ["openai/other"] });
  const { result } = cellOf(await untilStatus(id, "completed"), 0);
  const { spent } = await read(id);
  const again = await json<{ runId: string }>("POST", `/api/runs/${result}/rerun`, { tape: "strict" });
  await follow(again.runId);
  expect((await run(again.runId)).matrix).toBeUndefined();
  expect((await read(id)).spent).toEqual(spent);
});

test("ten go on or wait at most", async () => {
  const tape = await record();
  const body = { runIds: [tape], models: ["openai/other"] };
  script.play = () => [{ type: "hang" }];
  const open: string[] = [];
  for (let at = 0; at < 10; at++) open.push(await begin(body));
  expect(await refusal("POST", "/api/matrix", { ...body, tape: "strict", budget: ample })).toEqual([
    ...[409, "too_many", inWords],
  ]);
  for (const id of open) await callApi("POST", `/api/matrix/${id}/stop`, {});
  // Else its cell could ask before the next test sets another script, and keep a place for good.
  script.reset();
  await untilStatus(await begin(body), "completed");
});
