import { expect, onTestFinished, test } from "vitest";
import { firstRun, outcomesOf } from "./testing/rows";
import { openTightStore } from "./testing/tight-store";

const names = ["a", "b", "c", "d", "e"];

test("a disk that fills up in the middle of a change is named, and the change can be made when there is room", async () => {
  const { store, makeRoom } = await openTightStore("records");
  onTestFinished(() => store.close());
  const long = "word ".repeat(20_000);
  // Of one row SQLite takes back the whole transaction by itself.
  const change = () => store.settings.update("ann", "long", () => long);
  await expect(change()).rejects.toMatchObject({ code: "disk_full" });
  await makeRoom();
  await change();
  expect(await store.settings.get("ann", "long")).toBe(long);
});

test("a full disk refuses each of those that would have shared a commit, and takes them when there is room", async () => {
  const { store, makeRoom } = await openTightStore("records");
  onTestFinished(() => store.close());
  const large = "x".repeat(20_000);
  const begin = () =>
    names.map((name) => {
      const [row, start] = firstRun(name);
      const { question } = start;
      const long = {
        ...question,
        message: { role: "user" as const, parts: [{ type: "text" as const, text: large }] },
      };
      return store.runs.begin(row, { ...start, question: long });
    });
  expect(await outcomesOf(begin())).toEqual(names.map(() => "disk_full"));
  expect(await store.runs.withStatus("running")).toEqual([]);
  await makeRoom();
  expect(await outcomesOf(begin())).toEqual(names.map(() => "stored"));
});
