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

test("answers of very many runs are taken over in a time that grows with their number", async () => {
  const { dataDir, raw } = await olderFolder(7);
  const count = 20_000;
  const many = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})`;
  raw.exec(
    `${many} insert into run select 'r' || i, conversation_id, user_id, message_id, parent_id, status, model, agent,
      continues, started_at, ended_at, options, iterations, result from n, run where run.id = 'w'`,
  );
  raw.exec(
    `${many} insert into setting select 'ann', 'answers:r' || i, '[{"type":"answer","requestId":"a"}]' from n`,
  );
  raw.close();
  const store = await openTempStore({ dataDir });
  expect(await store.runs.answers("r1")).toHaveLength(1);
  expect(await store.runs.answers(`r${count}`)).toHaveLength(1);
});
