import { expect, onTestFinished, test } from "vitest";
import { conversation, message, run } from "./testing/rows";
import { openTightStore } from "./testing/tight-store";

/** A first question and its run, in a conversation of their own. */
const first = (name: string) => {
  const conversationId = `c-${name}`;
  const question = message(`q-${name}`, null, { conversationId });
  const row = run(`r-${name}`, { conversationId, messageId: question.id, parentId: question.id });
  return [row, { conversation: conversation({ id: conversationId }), question }] as const;
};

const names = ["a", "b", "c", "d", "e"];
const outcomes = async (works: readonly Promise<void>[]) =>
  (await Promise.allSettled(works)).map((each) =>
    each.status === "fulfilled" ? "stored" : each.reason.code,
  );

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
      const [row, start] = first(name);
      const { question } = start;
      const long = {
        ...question,
        message: { role: "user" as const, parts: [{ type: "text" as const, text: large }] },
      };
      return store.runs.begin(row, { ...start, question: long });
    });
  expect(await outcomes(begin())).toEqual(names.map(() => "disk_full"));
  expect(await store.runs.withStatus("running")).toEqual([]);
  await makeRoom();
  expect(await outcomes(begin())).toEqual(names.map(() => "stored"));
});
