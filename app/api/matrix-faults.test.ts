import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import type { Matrix } from "@/lib/protocol/matrix";
import { fail, say, usage } from "@/lib/providers/testing/steps";
import { getDeps } from "@/lib/server/entry/deps";
import { askStored } from "@/lib/server/testing/stored-rows";
import { callApi, readStream } from "./testing/call-api";
import {
  begin,
  cellOf,
  json,
  look,
  lookElsewhere,
  model,
  read,
  record,
  restart,
  run,
  script,
  statuses,
  together,
  until,
  untilStatus,
} from "./testing/matrix";

const inWords = expect.any(String);
const named = (...names: string[]) => names.map((name) => `openai/${name}`);
const stop = (id: string) => json<Matrix>("POST", `/api/matrix/${id}/stop`, {});
const stateOf = async (id: string) => (await (await getDeps()).store.matrices.find(id))?.state;
const times = (status: string, count: number) => Array.from({ length: count }, () => status).join(" ");

/** Writes past the application, as a broken disk does. */
const damage = (sql: string, id: string) => askStored(sql.replace("?", `'${id}'`));
const damageConversationOf = async (runId: string) =>
  damage("update conversation set choice = '{' where id = ?", (await run(runId)).conversationId);

/** As the store says it. */
const busy = () => Object.assign(new Error("The database is locked."), { name: "StoreError", code: "busy" });

// What is said of the faults that are made here.
beforeEach(async () => {
  (await getDeps()).log.level = "silent";
});

test("Stop ends a cell that a person has resumed when all had ended, and once more when all were stopped", async () => {
  const tape = await record();
  script.play = () => [fail(400, "No.")];
  const id = await begin({ runIds: [tape], models: named("a") });
  await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe("ended");
  script.play = () => [{ type: "hang" }];
  for (const _ of ["ended", "stopped"]) {
    const { last } = cellOf(await read(id), 0);
    await callApi("POST", `/api/runs/${last}/resume`, {});
    await until(id, (matrix) => statuses(matrix) === "running");
    expect((await stop(id)).status).toBe("stopped");
    expect(statuses(await read(id))).toBe("stopped");
    expect(await stateOf(id)).toBe("stopped");
  }
});

test("what a resumed cell uses counts, and is counted from the store again when nothing goes on", async () => {
  const tape = await record();
  script.play = () => [fail(400, "No.")];
  const id = await begin({ runIds: [tape], models: named("a") });
  await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe("ended");
  const gate = Promise.withResolvers<void>();
  script.play = async () => {
    await gate.promise;
    return [say("Late."), usage(99, 1)];
  };
  await callApi("POST", `/api/runs/${cellOf(await read(id), 0).last}/resume`, {});
  await until(id, (matrix) => statuses(matrix) === "running");
  const { matrices, runs } = await getDeps();
  const live = await matrices.sharedBudget(id);
  gate.resolve();
  await expect.poll(() => runs.all().length).toBe(0);
  await matrices.wake(id);
  const counted = await matrices.sharedBudget(id);
  expect(counted).not.toBe(live);
  expect([live?.used.tokens, counted?.used.tokens]).toEqual([100, 100]);
});

test("Stop ends what runs at once, also while another cell is being begun", async () => {
  const tapes = [await record("One?"), await record("Two?")];
  const { conversationId } = await run(tapes[1] as string);
  const { store, turns } = await getDeps();
  const held = Promise.withResolvers<void>();
  const holding = turns.run(conversationId, () => held.promise);
  script.play = () => [{ type: "hang" }];
  const begun = begin({ runIds: tapes, models: named("a") });
  const find = async () =>
    (await store.matrices.inState(["open", "stopping"])).find(({ cells }) => cells[0]?.runId === tapes[0]);
  await expect.poll(async () => (await find())?.cells[0]?.result).toEqual(inWords);
  const found = await find();
  const id = found?.id ?? "";
  const stopped = stop(id);
  await expect.poll(async () => (await run(found?.cells[0]?.result ?? "")).status).toBe("stopped");
  held.resolve();
  await holding;
  expect(await begun).toBe(id);
  expect((await stopped).status).toBe("stopped");
  expect(statuses(await read(id))).toBe("stopped stopped");
  expect((await read(id)).cells[1]?.result).toBeNull();
});

test("a cell that can never begin says why, and those behind it begin", async () => {
  const tapes = [await record("One?"), await record("Two?"), await record("Three?")];
  const gate = Promise.withResolvers<void>();
  script.play = async () => {
    await gate.promise;
    return [say("Late.")];
  };
  const id = await begin({ runIds: tapes, models: named("a", "b", "c", "d") });
  await damageConversationOf(tapes[1] as string);
  gate.resolve();
  const matrix = await untilStatus(id, "completed");
  expect(statuses(matrix)).toBe([times("completed", 4), times("failed", 4), times("completed", 4)].join(" "));
  expect(cellOf(matrix, 4).error).toEqual({ code: "damaged", message: inWords });
});

test("cells whose recording is gone on with wait for its end", async () => {
  const whole = await record("One?");
  script.play = () => [fail(400, "No.")];
  const { runId: failed, status } = await readStream(
    await callApi("POST", "/api/chat", { model: "openai/first", message: { text: "Two?" } }),
  );
  expect(status).toBe("failed");
  const [cells, resumed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  script.play = async ({ model: asked }) => {
    await (asked === "first" ? resumed : cells).promise;
    return [say("Late.")];
  };
  const id = await begin({ runIds: [whole, failed], models: named("a", "b", "c", "d") });
  await callApi("POST", `/api/runs/${failed}/resume`, {});
  cells.resolve();
  await until(id, (matrix) => statuses(matrix).startsWith(times("completed", 4)));
  await (await getDeps()).matrices.wake(id);
  expect(statuses(await read(id))).toBe(`${times("completed", 4)} ${times("queued", 4)}`);
  resumed.resolve();
  expect(statuses(await untilStatus(id, "completed"))).toBe(times("completed", 8));
});

test("the log of a cell that waits for a person is read once, however many end after it", async () => {
  const tapes = [await record("One?"), await record("Two?"), await record("Three?")];
  script.play = ({ toolResults }) => (toolResults.length === 0 ? [lookElsewhere] : [say("Done.")]);
  const { store, runs, matrices } = await getDeps();
  const reads = vi.spyOn(store.log, "read");
  onTestFinished(() => reads.mockRestore());
  const id = await begin({ runIds: tapes, models: named("a", "b", "c", "d", "e", "f"), tape: "ask" });
  const results = async () => (await store.matrices.find(id))?.cells.flatMap(({ result }) => result ?? []);
  await expect.poll(async () => (await results())?.length, { timeout: 20_000 }).toBe(18);
  await expect.poll(() => runs.all().length).toBe(0);
  for (const _ of [1, 2, 3]) await matrices.wake(id);
  const begun = await results();
  const counts = begun?.map((result) => reads.mock.calls.filter(([runId]) => runId === result).length);
  expect(Math.max(...(counts ?? []))).toBe(1);
  expect(statuses(await read(id))).toBe(times("waiting", 18));
});

test("cells go on when everything was to be deleted and could not be", async () => {
  const tape = await record();
  const gate = Promise.withResolvers<void>();
  script.play = async () => {
    await gate.promise;
    return [say("Late.")];
  };
  const id = await begin({ runIds: [tape], models: named("a", "b", "c", "d", "e") });
  const { runs, matrices } = await getDeps();
  runs.deleting = true;
  gate.resolve();
  await expect.poll(() => runs.all().length, { timeout: 10_000 }).toBe(0);
  await matrices.wake(id);
  expect(statuses(await read(id))).toBe(`${times("completed", 4)} queued`);
  runs.deleting = false;
  expect(statuses(await untilStatus(id, "completed"))).toBe(times("completed", 5));
});

test("that all have ended is stored later where the store refuses it", async () => {
  const tape = await record();
  const gate = Promise.withResolvers<void>();
  script.play = async () => {
    await gate.promise;
    return [say("Late.")];
  };
  const id = await begin({ runIds: [tape], models: named("a") });
  const { matrices } = (await getDeps()).store;
  const { setState } = matrices;
  let tries = 0;
  const refusing = vi.spyOn(matrices, "setState").mockImplementation(async (of, ...states) => {
    if (of === id && ++tries === 1) throw busy();
    return setState(of, ...states);
  });
  onTestFinished(() => refusing.mockRestore());
  gate.resolve();
  await expect.poll(() => stateOf(id), { timeout: 20_000 }).toBe("ended");
  expect(tries).toBe(2);
});

test("a start takes up what can be read beside a matrix that is damaged", async () => {
  const tape = await record();
  script.play = () => [{ type: "hang" }];
  const asked = model.requests.length;
  const damaged = await begin({ runIds: [tape], models: named("a") });
  const id = await begin({ runIds: [tape], models: named("a", "b", "c", "d", "e") });
  await expect.poll(() => model.requests.length - asked).toBe(5);
  expect(statuses(await read(id))).toBe(`${times("running", 4)} queued`);
  await damage("update matrix set budget = '{' where id = ?", damaged);
  script.play = () => [say("Begun again.")];
  await restart();
  expect(statuses(await untilStatus(id, "completed"))).toBe(`${times("interrupted", 4)} completed`);
});

test("a paused cell that cannot go on holds up no other one", async () => {
  const tapes = [await record("One?"), await record("Two?")];
  script.play = together(2, ({ toolResults }) => [
    ...(toolResults.length === 0 ? [look] : [say("So it is.")]),
    usage(99, 1),
  ]);
  const id = await begin({ runIds: tapes, models: named("a"), budget: { tokens: 100 } });
  await until(id, (matrix) => statuses(matrix) === "paused paused");
  await damageConversationOf(tapes[0] as string);
  await callApi("PATCH", `/api/matrix/${id}`, { budget: { tokens: 10_000 } });
  await until(id, (matrix) => statuses(matrix) === "paused completed");
  expect((await stop(id)).status).toBe("stopped");
  await expect.poll(() => stateOf(id)).toBe("stopped");
});
