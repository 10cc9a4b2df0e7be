import { expect, onTestFinished, test } from "vitest";
import type { Settings } from "./kept-ports";
import { openSettings } from "./settings";
import { SettingsCache } from "./settings-cache";
import { openTempEngine, tempDir } from "./testing/temp-store";

/** A cache on a real database, and how many statements reach it. */
async function openCounted() {
  let statements = 0;
  const engine = await openTempEngine(tempDir(), { onStatement: () => void statements++ });
  onTestFinished(() => engine.close());
  const stored = openSettings(engine.records);
  const reads = async (read: () => Promise<unknown>) => {
    const before = statements;
    const value = await read();
    return [value, statements - before];
  };
  return { cache: new SettingsCache(stored), stored, reads };
}

test("a setting is read once, also one that is not there, and each user has their own", async () => {
  const { cache, reads } = await openCounted();
  await cache.set("ann", "limits", { maxIterations: 3 });
  expect(await reads(() => cache.get("ann", "limits"))).toEqual([{ maxIterations: 3 }, 1]);
  expect(await reads(() => cache.get("ann", "limits"))).toEqual([{ maxIterations: 3 }, 0]);
  expect(await reads(() => cache.get("bob", "limits"))).toEqual([undefined, 1]);
  expect(await reads(() => cache.get("bob", "limits"))).toEqual([undefined, 0]);
});

test("every way of changing a setting is seen by the next read", async () => {
  const { cache } = await openCounted();
  const read = () => cache.get("ann", "rules");
  expect(await read()).toBeUndefined();
  await cache.set("ann", "rules", [1]);
  expect(await read()).toEqual([1]);
  await cache.update("ann", "rules", (rules: number[] = []) => [...rules, 2]);
  expect(await read()).toEqual([1, 2]);
  await cache.updateAll<number[]>("ann", [], () => new Map([["rules", [3]]]));
  expect(await read()).toEqual([3]);
  await cache.updateAll<number[]>("ann", ["rules"], () => new Map([["rules", null]]));
  expect(await read()).toBeUndefined();
  await cache.set("ann", "rules", [4]);
  await cache.delete("ann", "rules");
  expect(await read()).toBeUndefined();
});

test("a read that is under way while the setting changes leaves nothing old behind", async () => {
  const { stored } = await openCounted();
  await stored.set("ann", "rules", ["old"]);
  const read = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const slow: Settings = {
    ...stored,
    async get<Value>(userId: string, key: string) {
      const value = await stored.get<Value>(userId, key);
      read.resolve();
      await held.promise;
      return value;
    },
  };
  const cache = new SettingsCache(slow);
  const before = cache.get("ann", "rules");
  await read.promise;
  await cache.set("ann", "rules", ["new"]);
  held.resolve();
  expect(await before).toEqual(["old"]);
  expect(await cache.get("ann", "rules")).toEqual(["new"]);
});

test("a change by somebody else is seen when it is told", async () => {
  const { cache, stored } = await openCounted();
  expect(await cache.get("ann", "rules")).toBeUndefined();
  await stored.set("ann", "rules", [1]);
  cache.forget("ann", "rules");
  expect(await cache.get("ann", "rules")).toEqual([1]);
});

test("what a reader gets cannot be changed for the others", async () => {
  const { cache } = await openCounted();
  await cache.set("ann", "prices", { "a/b": { input: 1 } });
  const prices = await cache.get<{ "a/b": { input: number } }>("ann", "prices");
  expect(() => Object.assign(prices?.["a/b"] ?? {}, { input: 2 })).toThrow(TypeError);
});

test("very large settings are not kept, and the ones read longest ago give way to others", async () => {
  const { cache, reads } = await openCounted();
  await cache.set("ann", "huge", "x".repeat(500_000));
  await cache.get("ann", "huge");
  expect((await reads(() => cache.get("ann", "huge")))[1]).toBe(1);
  for (let index = 0; index < 11; index++) {
    await cache.set("ann", `large${index}`, "x".repeat(400_000));
    await cache.get("ann", `large${index}`);
  }
  expect((await reads(() => cache.get("ann", "large0")))[1]).toBe(1);
  expect((await reads(() => cache.get("ann", "large10")))[1]).toBe(0);
});
