import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { openStore } from "./open-store";
import { rewind } from "./testing/rewind";
import { conversation, run, runEnd } from "./testing/rows";
import { openTempStore, tempDir } from "./testing/temp-store";

/** A folder as the version before this one has left it. */
async function olderFolder(version: number): Promise<{ dataDir: string; raw: DatabaseSync }> {
  const dataDir = tempDir();
  const store = await openStore({ dataDir });
  await store.conversations.create(conversation());
  for (const [id, status] of [
    ["w", "waiting"],
    ["broken", "waiting"],
    ["done", "completed"],
  ] as const)
    await store.runs.create(run(id, { status }));
  await store.close();
  const file = join(dataDir, "meguri.db");
  await rewind(file, "records", version - 1);
  return { dataDir, raw: new DatabaseSync(file) };
}

test("answers that an earlier version kept in settings are those of the run that still waits", async () => {
  const { dataDir, raw } = await olderFolder(7);
  const answers = ["b", "a"].map((requestId) => ({
    type: "answer",
    requestId,
    answer: { decision: "deny" },
  }));
  const keep = raw.prepare("insert into setting (user_id, key, value) values ('ann', ?, ?)");
  keep.run("answers:w", JSON.stringify(answers));
  keep.run("answers:broken", "[{");
  keep.run("answers:done", JSON.stringify(answers));
  keep.run("answers:gone", JSON.stringify(answers));
  keep.run("rules", "[]");
  raw.close();
  const store = await openTempStore({ dataDir });
  expect(await store.runs.answers("w")).toEqual(answers);
  expect(await store.runs.answers("broken")).toEqual([]);
  expect(await store.runs.answers("done")).toEqual([]);
  expect(await store.settings.get("ann", "answers:w")).toBeUndefined();
  expect(await store.settings.get("ann", "answers:gone")).toBeUndefined();
  expect(await store.settings.get("ann", "rules")).toEqual([]);
});

test("a result that held its messages keeps their number; one that cannot be read is left as it is", async () => {
  const { dataDir, raw } = await olderFolder(8);
  const set = raw.prepare("update run set result = ? where id = ?");
  const { messages: _, ...rest } = runEnd();
  const file = {
    role: "tool",
    results: [{ id: "a", status: "ok", content: [{ type: "text", text: "x".repeat(9) }] }],
  };
  set.run(JSON.stringify({ ...rest, historyDelta: [file, file], later: "kept" }), "done");
  set.run("{", "broken");
  raw.close();
  const told: string[] = [];
  const store = await openTempStore({ dataDir, onBrokenRow: ({ message: text }) => told.push(text) });
  expect((await store.runs.get("ann", "done"))?.result).toEqual({ ...rest, messages: 2, later: "kept" });
  expect((await store.runs.get("ann", "w"))?.result).toBeNull();
  expect((await store.runs.withStatus("waiting")).map(({ id }) => id)).toEqual(["w"]);
  expect(told).toEqual([expect.stringMatching(/^The stored run broken cannot be read/)]);
});
