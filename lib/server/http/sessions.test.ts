import { expect, test } from "vitest";
import { openTempStore } from "@/lib/store/testing/temp-store";
import { Sessions } from "./sessions";

const secrets = { appSecret: "s".repeat(32), launchToken: "token-of-sixteen-letters" };

test("a session goes on after a restart, until it is ended or its browser begins another", async () => {
  const store = await openTempStore();
  const sessions = new Sessions({ store, secrets });
  const [first, other] = [await sessions.begin(undefined), await sessions.begin(undefined)];
  const second = await sessions.begin(first);
  const restarted = new Sessions({ store, secrets });
  const valid = (at: Sessions) =>
    Promise.all([first, second, other, "", "unknown"].map((value) => at.has(value)));
  expect(await valid(sessions)).toEqual([false, true, true, false, false]);
  expect(await valid(restarted)).toEqual([false, true, true, false, false]);
  await restarted.end(second);
  expect(await valid(restarted)).toEqual([false, false, true, false, false]);
  expect(await valid(new Sessions({ store, secrets }))).toEqual([false, false, true, false, false]);
});

test("what is stored signs nobody in", async () => {
  const store = await openTempStore();
  const sessions = new Sessions({ store, secrets });
  const value = await sessions.begin(undefined);
  const stored = await store.settings.get<{ hash: string }[]>("system", "sessions");
  expect(JSON.stringify(stored)).not.toContain(value);
  expect(await sessions.has(stored?.[0]?.hash ?? "")).toBe(false);
});

test("a new launch token or APP_SECRET ends all sessions", async () => {
  const store = await openTempStore();
  const value = await new Sessions({ store, secrets }).begin(undefined);
  for (const changed of [{ launchToken: "another-token-of-sixteen" }, { appSecret: "x".repeat(32) }]) {
    const sessions = new Sessions({ store, secrets: { ...secrets, ...changed } });
    expect(await sessions.has(value)).toBe(false);
  }
});

test("of more than a hundred the oldest end, also when they begin at once, and a session ends after 400 days", async () => {
  const store = await openTempStore();
  const sessions = new Sessions({ store, secrets });
  const values = await Promise.all(Array.from({ length: 103 }, () => sessions.begin(undefined)));
  const known = await Promise.all(values.map((value) => sessions.has(value)));
  expect(known.indexOf(true)).toBe(3);
  const stored =
    (await store.settings.get<{ hash: string; createdAt: number }[]>("system", "sessions")) ?? [];
  expect(stored).toHaveLength(100);
  const old = stored.map((one) => ({ ...one, createdAt: Date.now() - 401 * 24 * 3_600_000 }));
  await store.settings.set("system", "sessions", old);
  expect(await new Sessions({ store, secrets }).has(values.at(-1) ?? "")).toBe(false);
});
