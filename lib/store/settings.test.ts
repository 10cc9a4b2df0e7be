import { expect, test } from "vitest";
import { openTempStore } from "./testing/temp-store";

test("a setting is any JSON value, by owner and key, and the last one counts", async () => {
  const { settings } = await openTempStore();
  await settings.set("ann", "rules", [{ pattern: "mcp:*", effect: "ask" }]);
  await settings.set("ben", "rules", []);
  await settings.set("ann", "off", false);
  await settings.set("ann", "none", null);
  await settings.set("ann", "rules", [{ pattern: "mcp:a:*", effect: "allow" }]);
  expect(await settings.get("ann", "rules")).toEqual([{ pattern: "mcp:a:*", effect: "allow" }]);
  expect(await settings.get("ben", "rules")).toEqual([]);
  expect(await settings.get("ann", "off")).toBe(false);
  expect(await settings.get("ann", "none")).toBeNull();
  expect(await settings.get("ann", "unknown")).toBeUndefined();
  await expect(settings.set("ann", "x", undefined)).rejects.toMatchObject({ code: "invalid" });
});

test("a deleted setting is as one that was never there, and nobody else's goes with it", async () => {
  const { settings } = await openTempStore();
  for (const userId of ["ann", "ben"]) await settings.set(userId, "answers:r1", [userId]);
  await settings.set("ann", "answers:r2", []);
  await settings.delete("ann", "answers:r1");
  await settings.delete("ann", "answers:r1");
  expect(await settings.get("ann", "answers:r1")).toBeUndefined();
  expect(await settings.get("ben", "answers:r1")).toEqual(["ben"]);
  expect(await settings.get("ann", "answers:r2")).toEqual([]);
});

test("changes of one setting at once are all kept", async () => {
  const { settings } = await openTempStore();
  const add = (name: string) => settings.update("ann", "names", (names: string[] = []) => [...names, name]);
  await Promise.all(["a", "b", "c", "d"].map(add));
  expect(await settings.get<string[]>("ann", "names")).toEqual(["a", "b", "c", "d"]);
  expect(await settings.update("ann", "names", (names: string[] | undefined) => names?.slice(1))).toEqual([
    ...["b", "c", "d"],
  ]);
});

test("a change that throws or gives nothing leaves a setting as it was", async () => {
  const { settings } = await openTempStore();
  expect(await settings.update("ann", "x", (before: number | undefined) => before)).toBeUndefined();
  expect(await settings.get("ann", "x")).toBeUndefined();
  await settings.set("ann", "x", 1);
  const refuse = () => {
    throw new Error("not so");
  };
  await expect(settings.update("ann", "x", refuse)).rejects.toThrow("not so");
  expect(await settings.get("ann", "x")).toBe(1);
});

test("several settings change together or not at all", async () => {
  const { settings } = await openTempStore();
  await settings.set("ann", "a", 1);
  await settings.set("ann", "b", 2);
  const keys = ["a", "b", "c"];
  await settings.updateAll<number>("ann", keys, (values) => {
    expect(values).toEqual(
      new Map([
        ["a", 1],
        ["b", 2],
      ]),
    );
    return new Map([
      ["a", null],
      ["c", 3],
    ]);
  });
  expect(await Promise.all(keys.map((key) => settings.get("ann", key)))).toEqual([undefined, 2, 3]);
  await expect(
    settings.updateAll<unknown>(
      "ann",
      keys,
      () =>
        new Map<string, unknown>([
          ["a", 9],
          ["b", () => {}],
        ]),
    ),
  ).rejects.toMatchObject({ code: "invalid" });
  expect(await settings.get("ann", "a")).toBeUndefined();
});

test("approvals hold one hash for each server", async () => {
  const { approvals } = await openTempStore();
  await approvals.set("files", "h1");
  await approvals.set("memory", "h2");
  await approvals.set("files", "h3");
  expect(await approvals.all()).toEqual(
    new Map([
      ["files", "h3"],
      ["memory", "h2"],
    ]),
  );
  await approvals.delete("files");
  await approvals.delete("nothing");
  expect(await approvals.all()).toEqual(new Map([["memory", "h2"]]));
});
