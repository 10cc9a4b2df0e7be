import { sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "./engine";
import { openMemoryEngine } from "./memory-engine";
import { openRunLog } from "./run-log";
import { events } from "./testing/rows";
import { openTempEngine } from "./testing/temp-store";
import type { LogEvent } from "./types";

const engines: Record<string, () => Promise<Engine>> = {
  "of this run": () => openTempEngine(),
  "in memory": async () => (await openMemoryEngine(8_000_000)).engine,
};

const request = (seq: number, contents?: Record<string, string>): LogEvent => ({
  seq,
  at: 1,
  data: { type: "request", system: "s", tools: "t", params: {}, ...(contents && { contents }) },
});

async function open(name: string) {
  const engine = await engines[name]?.();
  if (!engine) throw new Error(`There is no engine ${name}.`);
  onTestFinished(() => engine.close());
  const count = async () => {
    const { rows } = await sql<{ hash: string }>`select hash from request_content order by hash`.execute(
      engine.log,
    );
    return rows.map(({ hash }) => hash);
  };
  return { log: openRunLog(engine), count };
}

test.each(Object.keys(engines))(
  "contents are kept once, and told to the runs that name them (%s)",
  async (name) => {
    const { log, count } = await open(name);
    await log.append("r1", [request(1, { s: "You help.", t: "[]" }), ...events(2, 3)], false);
    await log.append("r2", [request(1, { s: "You help." })], true);
    await log.append("r3", [request(1)], true);
    expect(await count()).toEqual(["s", "t"]);
    const told = await Promise.all(["r1", "r2", "r3", "r4"].map((id) => log.contents(id, ["s", "t", "u"])));
    expect(told.map((found) => Object.fromEntries(found))).toEqual([
      { s: "You help.", t: "[]" },
      { s: "You help." },
      {},
      {},
    ]);
    expect(await log.contents("r1", [])).toEqual(new Map());
    // The log itself names them only.
    expect(await log.read("r1", 0, 1)).toEqual([request(1)]);
  },
);

test.each(Object.keys(engines))("a content goes with the last run that names it (%s)", async (name) => {
  const { log, count } = await open(name);
  await log.append("r1", [request(1, { s: "You help.", t: "[]" })], false);
  await log.append("r2", [request(1, { s: "You help." })], false);
  await log.delete(["r1", "r9"]);
  expect(await count()).toEqual(["s"]);
  expect(await log.contents("r1", ["s"])).toEqual(new Map());
  await log.delete(["r2"]);
  expect(await count()).toEqual([]);
  // Another run may get the number of one that is gone.
  await log.append("r3", events(1, 1), false);
  expect(await log.contents("r3", ["s", "t"])).toEqual(new Map());
});

test.each(Object.keys(engines))("an append that is refused leaves no content (%s)", async (name) => {
  const { log, count } = await open(name);
  await log.append("r1", events(1, 2), false);
  await expect(log.append("r1", [request(2, { s: "You help." })], false)).rejects.toMatchObject({
    code: "duplicate",
  });
  expect(await count()).toEqual([]);
});

test("a content for which no memory is left is refused", async () => {
  const { engine } = await openMemoryEngine(4_000_000);
  onTestFinished(() => engine.close());
  const log = openRunLog(engine);
  await expect(log.append("r1", [request(1, { s: "a".repeat(3_000_000) })], false)).rejects.toMatchObject({
    code: "memory_full",
  });
});

test("a content that is stored takes no memory again", async () => {
  const { engine } = await openMemoryEngine(4_000_000);
  onTestFinished(() => engine.close());
  const log = openRunLog(engine);
  const body = "a".repeat(1_000_000);
  await log.append("r1", [request(1, { s: body })], false);
  await expect(log.append("r2", [request(1, { t: body })], false)).rejects.toMatchObject({
    code: "memory_full",
  });
  await log.append("r2", [request(1, { s: body })], false);
  expect((await log.contents("r2", ["s"])).size).toBe(1);
});
