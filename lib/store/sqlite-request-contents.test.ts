import { expect, onTestFinished, test } from "vitest";
import type { Engine } from "./engine";
import { openRunLog } from "./run-log";
import { openSqliteEngine } from "./sqlite-engine";
import { tempDir } from "./testing/temp-store";
import type { LogEvent } from "./types";

const request = (seq: number, contents?: Record<string, string>): LogEvent => ({
  seq,
  at: 1,
  data: { type: "request", system: "s", tools: "t", params: {}, ...(contents && { contents }) },
});

test("large contents are released a few by each commit", async () => {
  const engine = await openSqliteEngine(tempDir());
  onTestFinished(() => engine.close());
  const count = async () => (await engine.log.selectFrom("request_content").select("hash").execute()).length;
  /** Contents that are left after each commit. */
  const left: number[] = [];
  const write: Engine["write"] = async (work, durable) => {
    await engine.write(work, durable);
    left.push(await count());
  };
  const log = openRunLog({ ...engine, write });
  const body = (hash: string) => hash.repeat(300_000);
  for (const [run, hash] of ["a", "b", "c", "d"].entries())
    await log.append(`r${run}`, [request(1, { [hash]: body(hash), s: "You help." })], false);
  await log.append("kept", [request(1, { b: body("b") })], false);
  left.length = 0;
  await log.delete(["r0", "r1", "r2", "r3", "r9"]);
  expect(left.every((number, at) => number >= (left[at - 1] ?? 5) - 2)).toBe(true);
  expect(await count()).toBe(1);
  expect(await log.contents("kept", ["b", "s"])).toEqual(new Map([["b", body("b")]]));
});
