import { expect, test } from "vitest";
import { openStore } from "./open-store";
import { chain, conversation, run } from "./testing/rows";
import { askStored, openTempStore, placeOf, tempDir } from "./testing/temp-store";
import type { NewImport } from "./types";

const imported = (patch: Partial<NewImport> = {}): NewImport => ({
  source: "meguri",
  sourceId: "elsewhere",
  hash: "h",
  importedAt: 5_000,
  conversation: conversation({ leafId: "a" }),
  messages: chain(["q", "a"]),
  attachments: [],
  runs: [
    {
      row: run("r1", { status: "completed" }),
      events: [{ seq: 1, at: 1, data: { type: "text", content: "Hello." } }],
    },
  ],
  ...patch,
});

test("an import that fails leaves neither rows nor logs", async () => {
  const store = await openTempStore();
  const twice = chain(["q", "q"]);
  await expect(store.imports.write([imported({ messages: twice })], 0)).rejects.toMatchObject({
    code: "duplicate",
  });
  expect(await store.conversations.get("ann", "c1")).toBeUndefined();
  expect(await store.log.lastSeq("r1")).toBe(0);
  expect(await store.imports.write([imported()], 0)).toBe(true);
  expect(await store.log.lastSeq("r1")).toBe(1);
});

test("a log whose import a crash has cut short is gone after the next start", async () => {
  const dataDir = tempDir();
  const store = await openStore(await placeOf(dataDir));
  await store.log.append("r1", [{ seq: 1, at: 1, data: { type: "text", content: "Hello." } }], true);
  await store.close();
  await askStored(dataDir, "records", "insert into importing_run (id) values ('r1')");
  const next = await openTempStore({ dataDir });
  expect(await next.log.lastSeq("r1")).toBe(0);
  expect(await next.imports.write([imported()], 0)).toBe(true);
});

test("what was changed long ago and imported lately is not removable yet", async () => {
  const store = await openTempStore();
  await store.imports.write([imported()], 0);
  const ids = async (changedBefore: number) =>
    (await store.conversations.removable("ann", { limit: 10, changedBefore })).map(({ id }) => id);
  expect(await ids(5_000)).toEqual([]);
  expect(await ids(5_001)).toEqual(["c1"]);
});

test("a conversation that has changed while it was extended is left as it is", async () => {
  const store = await openTempStore();
  await store.imports.write([imported()], 0);
  const more = imported({ extends: { messages: 1 }, messages: chain(["q2"], "a"), runs: [] });
  await expect(store.imports.write([more], 0)).rejects.toMatchObject({ code: "conflict" });
  expect((await store.imports.find("ann", "meguri", "elsewhere"))?.messageIds.size).toBe(2);
});
