import { beforeEach, expect, test } from "vitest";
import type { Store } from "./ports";
import { chain, conversation, message } from "./testing/rows";
import { openTempStore } from "./testing/temp-store";
import type { MessageRow } from "./types";

let store: Store;
beforeEach(async () => {
  store = await openTempStore();
  await store.conversations.create(conversation());
});

const ids = (rows: readonly MessageRow[]) => rows.map(({ id }) => id).join(" ");
const read = async (leafId: string, conversationId = "c1") =>
  (await store.messages.branch(conversationId, leafId)).rows;
const names = (prefix: string, count: number) => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

test("a branch that goes on has the same messages as before, and those that have come since", async () => {
  await store.messages.append("c1", chain(["a", "b", "c"]));
  const before = await read("c");
  await store.messages.append("c1", chain(["d", "e"], "c"));
  const after = await read("e");
  expect(ids(after)).toBe("a b c d e");
  for (const [at, row] of before.entries()) expect(after[at]).toBe(row);
  expect(ids(await read("b"))).toBe("a b");
});

test("another branch begins where it leaves the one that is known, also behind more messages than are looked at", async () => {
  const long = names("m", 200);
  await store.messages.append("c1", chain(long));
  await read("m199");
  await store.messages.append("c1", chain(["x", "y"], "m50"));
  expect(ids(await read("y"))).toBe([...long.slice(0, 51), "x", "y"].join(" "));
  await store.messages.append("c1", chain(names("z", 150), "y"));
  expect(ids(await read("z149"))).toBe([...long.slice(0, 51), "x", "y", ...names("z", 150)].join(" "));
  expect(ids(await read("m199"))).toBe(long.join(" "));
});

test("no reader can change what others read, and each may do with its list what it likes", async () => {
  await store.messages.append("c1", chain(["a", "b"]));
  const rows = await read("b");
  const [first] = rows;
  expect(() => Object.assign(first?.message ?? {}, { parts: [] })).toThrow(TypeError);
  rows.length = 0;
  expect(ids(await read("b"))).toBe("a b");
});

test("nothing is left of a conversation that is deleted, and a message of another one is not found", async () => {
  await store.conversations.create(conversation({ id: "c2" }));
  await store.messages.append("c1", chain(["a", "b"]));
  await read("b");
  await expect(read("b", "c2")).rejects.toMatchObject({ code: "not_found" });
  await store.conversations.delete("c1");
  await expect(read("b")).rejects.toMatchObject({ code: "not_found" });
});

test("many long conversations give way to each other, and each is read as it is", async () => {
  const text = "long ".repeat(30_000);
  const asked = names("c", 40).slice(2);
  for (const id of asked) {
    await store.conversations.create(conversation({ id }));
    const parts = [{ type: "text" as const, text: `${id} ${text}` }];
    await store.messages.append(id, [
      message(`q${id}`, null, { conversationId: id, message: { role: "user", parts } }),
    ]);
  }
  for (let round = 0; round < 2; round++)
    for (const id of asked) {
      const [row] = await read(`q${id}`, id);
      expect(row?.message).toMatchObject({ parts: [{ text: `${id} ${text}` }] });
    }
});
