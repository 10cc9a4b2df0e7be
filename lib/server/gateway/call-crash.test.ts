import { expect, test } from "vitest";
import type { McpAnswer } from "@/lib/mcp/gateway/offer";
import { Transcript } from "@/lib/protocol/transcript";
import { completeLog, messagesOf, readWholeLog } from "@/lib/server/loop/stored-run";
import { recoverRuns } from "@/lib/server/runs/recover-runs";
import { onSqlite } from "@/lib/server/testing/on-sqlite";
import { user } from "@/lib/server/testing/run-kit";
import { openWorld, type Process, startProcess, type World } from "@/lib/server/testing/world";
import { StoreError } from "@/lib/store/errors";
import type { FoundGatewaySession } from "@/lib/store/kept-ports";
import type { RunRow } from "@/lib/store/types";
import type { CallDeps } from "./begin-call";
import { callTool } from "./call-tool";
import { Places } from "./places";

const session: FoundGatewaySession = {
  hasWaiting: false,
  ...{ id: "session", userId: user, tokenId: null, client: { name: "A program", version: "1" } },
  ...{ protocol: "2025-06-18", capabilities: {}, conversationId: null, createdAt: 1, lastSeenAt: 1 },
};
const said = { content: [{ type: "text", text: 'look {"n":1}' }] };
const full = new StoreError("disk_full", "full");

/** A call of a program, as `/mcp` makes it. */
async function callAsProgram(app: Process, world: World): Promise<McpAnswer> {
  const never = new AbortController().signal;
  const deps = { ...app, places: new Places(10) } as unknown as CallDeps;
  const tool = world.tools.pool.givenTools(undefined).find(({ name }) => name === "desk__look");
  if (!tool) throw new Error("The desk has no such tool.");
  const person = { id: user, name: "", email: "", role: "admin" as const, sessionId: null, token: null };
  return callTool(
    deps,
    { person, session, reach: { servers: undefined, names: undefined } },
    { called: { name: "look", args: { n: 1 }, requestId: 1 }, tool },
    { signal: never, gone: never, onProgress: () => {}, onLog: () => {}, ask: () => () => {} },
  );
}

async function openSession(): Promise<World> {
  const world = await openWorld([]);
  await world.store.gatewaySessions.add(session, 10);
  return world;
}

/** The one run that there may be. */
async function onlyRun({ store }: Pick<World, "store">): Promise<RunRow | undefined> {
  const { items } = await store.runs.list(user, { limit: 10 });
  expect(items.length).toBeLessThan(2);
  return items[0];
}

/** What the record and the log of an ended run say, which must be the same; gives what came of its call. */
async function outcomeOf(app: Process, row: RunRow) {
  expect(row).toMatchObject({ endedAt: expect.any(Number), result: { stopReason: expect.any(String) } });
  await completeLog(app, row, true);
  const log = await readWholeLog(app, row.id);
  const chunks = log.map(({ data }) => data);
  const kinds = chunks.map(({ type }) => type);
  expect(log.map(({ seq }) => seq)).toEqual(log.map((_, index) => index + 1));
  expect(kinds.filter((kind) => kind === "result")).toEqual(["result"]);
  expect(kinds.at(-1)).toBe("result");
  expect(kinds.filter((kind) => kind === "tool_start")).toEqual(["tool_start"]);
  const messages = (await messagesOf(app, row)).map(({ message }) => message);
  const fold = new Transcript([]);
  for (const chunk of chunks) fold.add(chunk);
  expect(fold.delta).toEqual(messages);
  const last = messages.at(-1);
  return last?.role === "tool" ? last.results : [];
}

/** A process that dies at the `count`th call of the store; gives what the program has heard, and the next process. */
async function killedAt(count: number, when: "before" | "after") {
  const world = await openSession();
  const app = startProcess(world);
  app.store.killAt(count, when);
  const answer = await Promise.race([callAsProgram(app, world), app.store.killed]);
  const live = answer && app.runs.all()[0];
  if (live) await Promise.race([live.ended, app.store.killed]);
  const { isDead } = app.store;
  if (!isDead) app.store.kill();
  await app.store.quiet();
  const next = startProcess(world);
  await recoverRuns(next);
  return { answer, isDead, next, world };
}

for (const when of ["before", "after"] as const)
  test(`killed right ${when} whatever it asks of the store, a call that was sent is known, and one that was answered has its result`, async () => {
    const outcomes = new Set<string>();
    for (let count = 1; ; count++) {
      const { answer, isDead, next, world } = await killedAt(count, when);
      const row = await onlyRun(world);
      const sent = world.desk.calls.length;
      expect(sent, `at ${count}`).toBeLessThan(2);
      if (sent > 0 || answer) expect(row, `at ${count}`).toBeDefined();
      if (row) {
        const [result, ...more] = await outcomeOf(next, row);
        expect(more).toEqual([]);
        expect(result, `at ${count}`).toMatchObject(
          answer ? { status: "ok", ...said } : { status: expect.stringMatching(/^(ok|unknown)$/) },
        );
        outcomes.add(`${result?.status} ${row.status}`);
      }
      if (answer) expect(answer).toEqual(said);
      if (!isDead) break;
    }
    expect([...outcomes].toSorted()).toEqual(["ok completed", "unknown interrupted"]);
  });

test("the log of a call that a power cut has taken is made again from its row, and its outcome is unknown", async () => {
  const world = await openSession();
  const app = startProcess(world);
  world.desk.hold();
  void callAsProgram(app, world);
  await world.desk.came(1);
  app.store.kill();
  await app.store.quiet();
  const cut = await onlyRun(world);
  if (!cut) throw new Error("There is no run.");
  await world.store.log.delete([cut.id]);
  const next = startProcess(world);
  expect(await recoverRuns(next)).toBe(1);
  const row = await onlyRun(world);
  expect(row?.status).toBe("interrupted");
  expect(await outcomeOf(next, row ?? cut)).toMatchObject([
    { id: cut.options.gateway?.call.id, status: "unknown" },
  ]);
});

test("a call whose log cannot be written has its result in the record all the same, and in its log once there is room", async (context) => {
  onSqlite(context, "There a call whose log cannot be written is not sent, and says so.");
  const world = await openSession();
  const app = startProcess(world);
  app.store.failing("log.append", full);
  expect(await callAsProgram(app, world)).toEqual(said);
  const row = await onlyRun(world);
  expect(row).toMatchObject({ status: "failed", result: { error: { code: "not_stored" } } });
  const live = app.runs.all()[0];
  expect(live).toBeDefined();
  // That it broke, and that its end is tried again.
  await expect.poll(() => app.faults.length).toBe(2);
  app.store.failing("log.append", undefined);
  await live?.ended;
  if (row) expect(await outcomeOf(app, row)).toMatchObject([{ status: "ok", ...said }]);
});

test("a call is answered only when its end is stored", async () => {
  const world = await openSession();
  const app = startProcess(world);
  const end = app.store.hold("runs.finish");
  const answer = callAsProgram(app, world);
  await end.reached;
  const first = await Promise.race([answer, new Promise((resolve) => setImmediate(resolve, "nothing"))]);
  expect(first).toBe("nothing");
  end.release();
  expect(await answer).toEqual(said);
});

/** A process whose rows reach the disk when `written` has resolved; they are committed before. */
function onSlowDisk(world: World, written: Promise<void>): Process {
  const app = startProcess(world);
  const { store } = app;
  const begin: typeof store.runs.begin = async (row, start, onCommitted) => {
    await store.runs.begin(row, start, onCommitted);
    await written;
  };
  const runs = new Proxy(store.runs, {
    get: (target, key) => (key === "begin" ? begin : Reflect.get(target, key)),
  });
  return {
    ...app,
    store: new Proxy(store, { get: (target, key) => (key === "runs" ? runs : Reflect.get(target, key)) }),
  };
}

test("a call is sent only when its row is on the disk, and the run is there before", async () => {
  const world = await openSession();
  const disk = Promise.withResolvers<void>();
  const app = onSlowDisk(world, disk.promise);
  const answer = callAsProgram(app, world);
  await expect.poll(() => app.runs.all()[0]?.known.map(({ type }) => type)).toContain("tool_start");
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect(world.desk.calls).toEqual([]);
  expect((await onlyRun(world))?.status).toBe("running");
  disk.resolve();
  expect(await answer).toEqual(said);
  expect(world.desk.calls).toHaveLength(1);
});

test("where the disk refuses the row the call is not sent, and its run has ended", async () => {
  const world = await openSession();
  const disk = Promise.withResolvers<void>();
  const app = onSlowDisk(world, disk.promise);
  const answer = callAsProgram(app, world);
  await expect.poll(() => app.runs.all()[0]?.known.map(({ type }) => type)).toContain("tool_start");
  disk.reject(new StoreError("io", "gone"));
  await expect(answer).rejects.toThrow();
  await expect.poll(async () => (await onlyRun(world))?.endedAt).toBeTypeOf("number");
  expect(world.desk.calls).toEqual([]);
  expect(app.runs.all()).toEqual([]);
});

test("while many runs go on the disk is waited for at once", async () => {
  const world = await openSession();
  const app = startProcess(world);
  const early: boolean[] = [];
  app.store.onCall = (method, args) => {
    if (method === "runs.begin") early.push(args[2] !== undefined);
  };
  expect(await callAsProgram(app, world)).toEqual(said);
  for (let other = 0; other < 32; other++)
    app.runs.add({
      row: { id: `other-${other}`, userId: "ben", continues: null, options: {} },
      ended: new Promise(() => {}),
    } as unknown as Parameters<typeof app.runs.add>[0]);
  expect(await callAsProgram(app, world)).toEqual(said);
  expect(early).toEqual([true, false]);
});
