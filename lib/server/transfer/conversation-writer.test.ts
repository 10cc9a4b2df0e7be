import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { expect, test } from "vitest";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { newId } from "@/lib/server/ids";
import { openTempStore, tempDir } from "@/lib/store/testing/temp-store";
import { ConversationWriter } from "./conversation-writer";
import type { ImportedConversation, ImportedFile, ImportedMessage, ImportedRun } from "./imported";
import { smallConversations } from "./testing/small-conversations";
import { writeAll, writeConversation } from "./testing/write-all";

const said = (id: string, parentId: string | null, text: string): ImportedMessage => ({
  ...{ id, parentId, createdAt: 1_700_000_000_000 },
  message:
    id[0] === "q"
      ? { role: "user", parts: [{ type: "text", text }] }
      : { role: "assistant", parts: [{ type: "text", text }] },
});

const conversation = (told: Partial<ImportedConversation> = {}): ImportedConversation => ({
  source: "chatgpt",
  sourceId: newId(),
  title: "Cherries",
  createdAt: 1_700_000_000_000,
  updatedAt: 1_700_000_100_000,
  leafId: null,
  messages: [said("q1", null, "When?"), said("a1", "q1", "In June.")],
  files: [],
  leftOut: [],
  ...told,
});

async function start(maxBytes = 1_000_000) {
  const dataDir = tempDir();
  const store = await openTempStore({ dataDir });
  const folder = join(dataDir, "attachments");
  const deps = { store, files: AttachmentFiles.inFolder(folder, async () => maxBytes) };
  return {
    ...deps,
    dataDir,
    write: (imported: ImportedConversation) => writeConversation(deps, "ann", imported),
    names: () => readdir(folder).catch(() => []),
  };
}

const file = (id: string, content: string | undefined, name = `${id}.txt`): ImportedFile => ({
  ...{ id, name, mediaType: "text/plain" },
  open: async () => (content === undefined ? undefined : Readable.from([Buffer.from(content)])),
});

const withFile = (id: string): ImportedMessage => ({
  ...said("q1", null, ""),
  message: { role: "user", parts: [{ type: "file", mediaType: "text/plain", attachmentId: id, size: 0 }] },
});

test("a conversation is stored under its own id, and a second time nothing is", async () => {
  const app = await start();
  const imported = conversation();
  expect(await app.write(imported)).toMatchObject({ outcome: "imported", conversationId: imported.sourceId });
  const row = await app.store.conversations.get("ann", imported.sourceId);
  expect(row).toMatchObject({ title: "Cherries", leafId: "a1", updatedAt: 1_700_000_100_000 });
  const { rows } = await app.store.messages.branch(imported.sourceId, "a1");
  expect(rows.map(({ id }) => id)).toEqual(["q1", "a1"]);
  expect(await app.write(imported)).toEqual({ outcome: "already_here", conversationId: imported.sourceId });
});

test("another person's id is not taken, and is known for one's own the next time", async () => {
  const app = await start();
  const imported = conversation();
  await writeConversation(app, "bob", imported);
  const mine = await app.write(imported);
  expect(mine).toMatchObject({
    outcome: "imported",
    conversationId: expect.not.stringContaining(imported.sourceId),
  });
  expect(await app.write(imported)).toMatchObject({ outcome: "already_here" });
});

test("an id that is none of ours gets one", async () => {
  const app = await start();
  const stored = await app.write(conversation({ sourceId: "import" }));
  expect(stored).toMatchObject({ conversationId: expect.stringMatching(/^[0-9a-f-]{36}$/) });
});

test("what the file has beyond is added, unless somebody has gone on here; then it is left alone", async () => {
  const app = await start();
  const first = conversation();
  await app.write(first);
  const more = { ...first, messages: [...first.messages, said("q2", "a1", "And plums?")] };
  expect(await app.write(more)).toMatchObject({ outcome: "extended", conversationId: first.sourceId });
  expect(await app.store.conversations.get("ann", first.sourceId)).toMatchObject({ leafId: "q2" });
  await app.store.messages.append(first.sourceId, [
    {
      ...{ id: newId(), conversationId: first.sourceId, parentId: "q2", runId: null, model: null },
      ...{ clientMessageId: null, createdAt: 1_700_000_200_000 },
      message: { role: "assistant", parts: [{ type: "text", text: "In August." }] },
    },
  ]);
  const newest = { ...more, messages: [...more.messages, said("a2", "q2", "In July.")] };
  expect(await app.write(newest)).toEqual({ outcome: "continued_since", conversationId: first.sourceId });
  expect(await app.write(more)).toEqual({ outcome: "continued_since", conversationId: first.sourceId });
});

test("other words under a known name are left alone", async () => {
  const app = await start();
  const first = conversation();
  await app.write(first);
  const other = { ...first, messages: [said("q1", null, "When?"), said("a1", "q1", "In May.")] };
  expect(await app.write(other)).toEqual({ outcome: "changed_since", conversationId: first.sourceId });
});

test("of two messages with one name of a client the first has it", async () => {
  const app = await start();
  const clientMessageId = newId();
  const messages = ["q1", "q2"].map((id) => ({ ...said(id, null, "When?"), clientMessageId }));
  const imported = conversation({ messages });
  expect(await app.write(imported)).toMatchObject({ outcome: "imported" });
  const stored = await Promise.all(["q1", "q2"].map((id) => app.store.messages.get(imported.sourceId, id)));
  expect(stored.map((row) => row?.clientMessageId)).toEqual([clientMessageId, null]);
});

test("files that are more than may be kept are not all written first", async () => {
  const app = await start(1_000);
  const names = Array.from({ length: 20 }, (_, at) => `f${at}`);
  const opened: string[] = [];
  const files = names.map((name): ImportedFile => {
    const one = file(name, "x".repeat(400));
    const open = () => {
      opened.push(name);
      return one.open();
    };
    return { ...one, open };
  });
  const messages = names.map((name, at) => ({ ...withFile(name), id: `q${at}` }));
  await expect(app.write(conversation({ messages, files }))).rejects.toMatchObject({
    code: "attachments_full",
  });
  expect(opened).toEqual(["f0", "f1", "f2"]);
  expect(await app.names()).toEqual([]);
  expect((await app.store.conversations.list("ann", { limit: 9 })).items).toEqual([]);
});

test("a deleted conversation is imported again", async () => {
  const app = await start();
  const imported = conversation();
  await app.write(imported);
  await app.store.conversations.delete(imported.sourceId);
  expect(await app.write(imported)).toMatchObject({ outcome: "imported" });
});

test("files are kept and checked; of one that is missing or of no kind that can be attached the name stays", async () => {
  const app = await start();
  const parts = (ids: string[]): ImportedMessage => ({
    ...said("q1", null, ""),
    message: {
      role: "user",
      parts: ids.map((id) => ({ type: "file", mediaType: "text/plain", attachmentId: id, size: 0 })),
    },
  });
  const imported = conversation({
    messages: [parts(["kept", "gone", "binary", "unknown"])],
    files: [file("kept", "words"), file("gone", undefined), file("binary", "a\0b", "tune.mp3")],
  });
  const stored = await app.write(imported);
  expect(stored).toMatchObject({
    leftOut: [
      { what: "missing_file", count: 2 },
      { what: "refused_file", count: 1 },
    ],
  });
  const { rows } = await app.store.messages.branch(imported.sourceId, "q1");
  const message = rows[0]?.message;
  expect(message?.role === "user" && message.parts).toEqual([
    expect.objectContaining({ type: "file", name: "kept.txt", size: 5, characters: 5 }),
    { type: "text", text: "[gone.txt]" },
    { type: "text", text: "[tune.mp3]" },
    { type: "text", text: "[file]" },
  ]);
  expect(await app.names()).toHaveLength(2);
});

test("files that take too much together leave nothing of their conversation", async () => {
  const app = await start(4);
  const imported = conversation({ messages: [withFile("f")], files: [file("f", "words")] });
  await expect(app.write(imported)).rejects.toMatchObject({ code: "attachments_full" });
  expect(await app.store.conversations.get("ann", imported.sourceId)).toBeUndefined();
  expect(await app.names()).toEqual([]);
});

test("files that take too much beside those that are there leave nothing of their conversation", async () => {
  const app = await start(8);
  const named = (id: string) => conversation({ messages: [withFile(id)], files: [file(id, "words")] });
  expect(await app.write(named("first"))).toMatchObject({ outcome: "imported" });
  const names = await app.names();
  const second = named("second");
  await expect(app.write(second)).rejects.toMatchObject({ code: "attachments_full" });
  expect(await app.store.conversations.get("ann", second.sourceId)).toBeUndefined();
  expect(await app.names()).toEqual(names);
});

test("a circle and an unknown parent lose no message", async () => {
  const app = await start();
  const imported = conversation({
    messages: [
      said("a2", "q2", "b"),
      said("q2", "a2", "a"),
      said("a1", "nobody", "c"),
      said("q1", "a1", "d"),
    ],
  });
  await app.write(imported);
  const children = await app.store.messages.children(imported.sourceId, [null, "a1", "a2", "q2"]);
  expect(children).toEqual(
    new Map([
      ["", ["a1", "a2"]],
      ["a1", ["q1"]],
      ["a2", ["q2"]],
    ]),
  );
});

const run = (id: string): ImportedRun => ({
  row: {
    ...{ id, conversationId: "elsewhere", userId: "eve", messageId: "q1", parentId: "q1" },
    ...{ status: "waiting", model: "demo/demo", agent: null, continues: null, options: {} },
    ...{ startedAt: 1, endedAt: 2, result: null, iterations: [] },
  },
  events: [{ seq: 1, at: 1, data: { type: "text", content: "Now." } }],
});

test("a run of ours comes with its log; one that was open is so no more, and another person's is not named", async () => {
  const app = await start();
  const [mine, foreign] = [newId(), newId()];
  const question = said("q1", null, "When?");
  await writeConversation(app, "bob", conversation({ messages: [question], runs: [run(foreign)] }));
  const answers = [
    { ...said("a1", "q1", "Now."), runId: mine },
    { ...said("a2", "a1", "x"), runId: foreign },
  ];
  const imported = conversation({ messages: [question, ...answers], runs: [run(mine)] });
  await app.write(imported);
  expect(await app.store.runs.get("ann", mine)).toMatchObject({ status: "interrupted", userId: "ann" });
  expect(await app.store.log.read(mine, 0, 10)).toMatchObject([{ seq: 1, data: { content: "Now." } }]);
  const { rows } = await app.store.messages.branch(imported.sourceId, "a2");
  expect(rows.map((row) => row.runId)).toEqual([null, mine, expect.not.stringContaining(foreign)]);
});

test("a fork names the run that it was forked from under the name that this one has here", async () => {
  const app = await start();
  const question = said("q1", null, "When?");
  const [old, fork] = [newId(), newId()];
  await writeConversation(app, "bob", conversation({ messages: [question], runs: [run(old)] }));
  const { row, events } = run(fork);
  const options = { forkedFrom: { runId: old, seq: 1, edit: null } };
  const runs = [run(old), { row: { ...row, options }, events }];
  await app.write(conversation({ messages: [question], runs }));
  const { forkedFrom } = (await app.store.runs.get("ann", fork))?.options ?? {};
  expect(forkedFrom).toEqual({ runId: expect.not.stringContaining(old), seq: 1, edit: null });
  expect(await app.store.runs.get("ann", forkedFrom?.runId ?? "")).toMatchObject({ messageId: "q1" });
});

test("small conversations share a commit, and of two with one name in a file the second is there already", async () => {
  const statements: string[] = [];
  const store = await openTempStore({ onStatement: (sql) => void statements.push(sql) });
  const deps = {
    store,
    files: AttachmentFiles.inFolder(join(tempDir(), "attachments"), async () => 1_000_000),
  };
  const file = smallConversations(20);
  statements.length = 0;
  const outcomes = (await writeAll(deps, "ann", file)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(file.map(() => "imported"));
  expect(statements.filter((sql) => sql === "commit")).toHaveLength(3);
  const [first] = smallConversations(1);
  const other = conversation();
  const twice = await writeAll(deps, "bob", [other, ...(first ? [first, first] : [])]);
  expect(twice.map(({ outcome }) => outcome).toSorted()).toEqual(["already_here", "imported", "imported"]);
});

test("a long conversation does not wait for others", async () => {
  const app = await start();
  const told: string[] = [];
  const writer = new ConversationWriter(app, "ann", ({ title }) => void told.push(title));
  await writer.add(conversation({ title: "Short" }));
  expect(told).toEqual([]);
  const messages = [said("q1", null, "word ".repeat(40_000))];
  await writer.add(conversation({ title: "Long", messages }));
  expect(told).toEqual(["Short", "Long"]);
});

test("a conversation that cannot be stored takes none with it that came before", async () => {
  const app = await start();
  const [first, second] = [conversation(), conversation()];
  const writer = new ConversationWriter(app, "ann", () => {});
  await writer.add(first);
  await writer.add(second);
  // Somebody else takes its id meanwhile.
  const row = { title: "Other", leafId: null, pinned: false, archived: false, projectId: null };
  const times = { createdAt: 1, updatedAt: 1 };
  await app.store.conversations.create({ ...row, ...times, id: second.sourceId, userId: "bob" });
  await expect(writer.flush()).rejects.toMatchObject({ code: "duplicate" });
  const { rows } = await app.store.messages.branch(first.sourceId, "a1");
  expect(rows.map(({ id }) => id)).toEqual(["q1", "a1"]);
  expect(await app.store.conversations.get("ann", second.sourceId)).toBeUndefined();
});
