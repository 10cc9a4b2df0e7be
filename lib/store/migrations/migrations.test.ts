import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test, vi } from "vitest";
import { openStore } from "@/lib/store/open-store";
import { rewind } from "@/lib/store/testing/rewind";
import { conversation, events, run, runEnd } from "@/lib/store/testing/rows";
import { startWriter } from "@/lib/store/testing/start-writer";
import { openTempStore, tempDir } from "@/lib/store/testing/temp-store";
import type { LogEvent } from "@/lib/store/types";

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
  // One that grows with the square of their number takes minutes.
}, 60_000);

test("rows that together are larger than the memory are migrated", async () => {
  const last = 60;
  const { dataDir, raw } = await olderFolder(5);
  await rewind(join(dataDir, "run-log.db"), "log", 5);
  const log = new DatabaseSync(join(dataDir, "run-log.db"));
  const content = [{ type: "text", text: "Not run: stopped before it was sent." }];
  const result = { id: "a", status: "error", content, structuredContent: { large: "x".repeat(1_000_000) } };
  const round = JSON.stringify({ results: [result] });
  const end = JSON.stringify({ ...runEnd(), historyDelta: [{ role: "tool", results: [result] }] });
  const line = JSON.stringify({ type: "tool_result", result, durationMs: 1 });
  const addMessage = raw.prepare(
    "insert into message values ('c1', ?, 'ann', null, 'tool', null, null, null, 1, ?)",
  );
  const addRun = raw.prepare(
    "insert into run values (?, 'c1', 'ann', 'q', 'q', 'completed', 'demo/demo', null, null, 1, 2, '{}', '[]', ?)",
  );
  const addEvent = log.prepare("insert into run_event values ('r', ?, 1, ?)");
  // Each of the three tables holds more than the process may. With rows of 3 MB it spends a minute on collecting garbage.
  for (let at = 1; at <= last; at++) {
    addMessage.run(`m${at}`, round);
    addRun.run(`r${at}`, end);
    addEvent.run(at, line);
  }
  raw.close();
  log.close();
  vi.stubEnv("NODE_OPTIONS", "--max-old-space-size=48");
  onTestFinished(() => void vi.unstubAllEnvs());
  const writer = await startWriter(dataDir);
  await writer.kill();
  const store = await openTempStore({ dataDir });
  expect((await store.messages.get("c1", `m${last}`))?.message).toMatchObject({
    results: [{ reason: "not_run" }],
  });
  expect((await store.runs.get("ann", `r${last}`))?.result?.messages).toBe(1);
  expect(await store.log.read("r", last - 1, 1)).toMatchObject([{ data: { result: { reason: "not_run" } } }]);
}, 150_000);

test("a log with a row for each event is read as before, damaged lines too", async () => {
  const { dataDir, raw } = await olderFolder(8);
  raw.close();
  const file = join(dataDir, "run-log.db");
  await rewind(file, "log", 6);
  const log = new DatabaseSync(file);
  const add = log.prepare("insert into run_event values (?, ?, ?, ?)");
  const given = events(1, 2_500);
  log.exec("begin");
  for (const run of ["one", "two"])
    for (const { seq, at, data } of given) add.run(run, seq, at, JSON.stringify(data));
  log.exec("commit");
  add.run("damaged", 1, 1, '{"type":"text","content":"a"}');
  add.run("damaged", 2, 1, '{"type":');
  add.run("damaged", 3, 1, '{"type":"text","content":"c"}');
  log.close();
  const store = await openTempStore({ dataDir });
  for (const run of ["one", "two"]) expect(await store.log.read(run, 0, 10_000)).toEqual(given);
  expect(await store.log.lastSeq("damaged")).toBe(3);
  expect(await store.log.read("damaged", 0, 1)).toMatchObject([{ data: { content: "a" } }]);
  await expect(store.log.read("damaged", 1, 1)).rejects.toMatchObject({ code: "broken_row" });
  expect(await store.log.read("damaged", 2, 1)).toMatchObject([{ data: { content: "c" } }]);
  await store.log.append("one", [{ ...(given[0] as LogEvent), seq: 2_501 }], true);
  await expect(store.log.append("two", given.slice(-1), true)).rejects.toMatchObject({ code: "duplicate" });
});

test("a conversation goes on with the model that answered last in it; the demo was chosen by nobody", async () => {
  const { dataDir, raw } = await olderFolder(12);
  const add = (id: string, choice: string | null) =>
    raw
      .prepare(
        "insert into conversation (id, user_id, title, leaf_id, pinned, choice, created_at, updated_at) select ?, user_id, title, leaf_id, pinned, ?, created_at, updated_at from conversation where id = 'c1'",
      )
      .run(id, choice);
  const ran = (id: string, conversation: string, model: string, startedAt: number) =>
    raw
      .prepare(
        `insert into run select ?, ?, user_id, message_id, parent_id, status, ?, agent, continues, ?, ended_at, options,
          iterations, result from run where id = 'done'`,
      )
      .run(id, conversation, model, startedAt);
  add("chosen", '{"servers":["one"],"deferred":{}}');
  ran("r1", "chosen", "openai/old", 1);
  ran("r2", "chosen", "openai/new", 2);
  add("demo", null);
  ran("r3", "demo", "demo/demo", 1);
  add("empty", null);
  add("broken", "{");
  ran("r4", "broken", "openai/old", 1);
  raw.close();
  const store = await openTempStore({ dataDir });
  const choiceOf = async (id: string) => (await store.conversations.get("ann", id))?.choice;
  expect(await choiceOf("chosen")).toEqual({ servers: ["one"], deferred: {}, model: "openai/new" });
  expect(await choiceOf("demo")).toBeUndefined();
  expect(await choiceOf("empty")).toBeUndefined();
  await expect(choiceOf("broken")).rejects.toThrow("choice of conversation broken");
});

test("old conversations and files are in no project, and can be put into one", async () => {
  const { dataDir, raw } = await olderFolder(14);
  raw.exec(
    "insert into attachment (id, user_id, conversation_id, name, media_type, size, characters, created_at) values ('f', 'ann', 'c1', 'a.md', 'text/markdown', 1, 1, 1)",
  );
  raw.close();
  const store = await openTempStore({ dataDir });
  expect((await store.conversations.get("ann", "c1"))?.projectId).toBeNull();
  expect((await store.attachments.get("ann", "f"))?.projectId).toBeNull();
  const project = { id: "p", userId: "ann", name: "P", instructions: "", files: [], createdAt: 1 };
  await store.projects.add(project, { count: 1, bytes: 1_000 });
  await store.conversations.update("c1", { projectId: "p" });
  expect((await store.conversations.list("ann", { limit: 5, projectId: "p" })).items).toHaveLength(1);
  expect(await store.projects.delete("ann", "p", "keep")).toEqual({ dropped: [] });
  expect((await store.conversations.get("ann", "c1"))?.projectId).toBeNull();
});

test("messages of an earlier version are found, a damaged one is not, and their order is that of their times", async () => {
  const { dataDir, raw } = await olderFolder(18);
  const add = raw.prepare(
    "insert into message (conversation_id, id, user_id, role, created_at, body) values ('c1', ?, 'ann', ?, ?, ?)",
  );
  const body = (text: string) => JSON.stringify({ parts: [{ type: "text", text }] });
  add.run("b", "user", 3_000, body("heron one"));
  add.run("a", "assistant", 7_000, body("heron two"));
  add.run("c", "user", -1, body("heron three"));
  add.run("d", "user", 5_000, '{"parts":[{"type":"text","text":"heron');
  add.run("e", "tool", 6_000, '{"results":[]}');
  raw.exec("begin");
  for (let n = 1_000; n < 2_200; n++) add.run(`m${n}`, "user", 10_000 + n, body(`wolf ${n}`));
  raw.exec("commit");
  raw.close();
  const store = await openTempStore({ dataDir });
  const found = async (text: string) =>
    (await store.search.messages("ann", text, { limit: 3 })).items.map(({ messageId }) => messageId);
  expect(await found("heron")).toEqual(["a", "b", "c"]);
  expect(await found("wolf")).toEqual(["m2199", "m2198", "m2197"]);
  expect(await found("wolf 1007")).toEqual(["m1007"]);
});
