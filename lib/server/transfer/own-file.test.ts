import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import fc from "fast-check";
import { expect, test } from "vitest";
import { call, stop, text } from "@/lib/agent/testing/scripted";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ConversationFile } from "@/lib/protocol/conversation-file";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolCall, ToolResult } from "@/lib/protocol/message";
import { timeline } from "@/lib/protocol/timeline";
import { AttachmentFiles } from "@/lib/server/attachments/attachment-files";
import { toPart } from "@/lib/server/attachments/attachments";
import { newId } from "@/lib/server/ids";
import { resumeRun } from "@/lib/server/runs/resume-run";
import { ask, ended, historyOf, kindsOf, logOf, questionsOf, stored } from "@/lib/server/testing/run-kit";
import { startAlone } from "@/lib/server/testing/world";
import { openTempStore, tempDir } from "@/lib/store/testing/temp-store";
import type { AttachmentRow, MessageRow, RunRow } from "@/lib/store/types";
import { bytesInside, conversationJson, type ExportDeps, openExport } from "./conversation-json";
import { readOwnFile } from "./own-file";
import { writeConversation } from "./testing/write-all";

const user = "ann";
const start = 1_700_000_000_000;

async function open() {
  const store = await openTempStore();
  const files = AttachmentFiles.inFolder(join(tempDir(), "attachments"), async () => 10_000_000);
  const runs = { get: () => undefined };
  const log = { error: () => {}, warn: () => {} };
  return { store, files, runs, log } as unknown as ExportDeps & { files: AttachmentFiles };
}
type Place = Awaited<ReturnType<typeof open>>;

async function exportedFrom(deps: ExportDeps, id: string): Promise<string> {
  const exported = await openExport(deps, user, id);
  if (!exported) throw new Error(`There is no conversation ${id}.`);
  let json = "";
  for await (const piece of conversationJson(deps, exported, (file) => bytesInside(deps, file)))
    json += piece;
  return json;
}

const importInto = (deps: Place, json: string) =>
  writeConversation(deps, user, readOwnFile(JSON.parse(json)));

/** One turn as fast-check makes it: where it hangs, and what happens in it. */
const turn = fc.record({
  parent: fc.nat(),
  words: fc.string({ unit: "grapheme", minLength: 1 }),
  hasFile: fc.boolean(),
  isSteered: fc.boolean(),
  isWorkflow: fc.boolean(),
  calls: fc.array(
    fc.record({
      status: fc.constantFrom("ok", "error", "denied", "unknown"),
      args: fc.dictionary(fc.string(), fc.jsonValue()),
    }),
    { maxLength: 2 },
  ),
  status: fc.constantFrom("completed", "stopped", "failed", "interrupted"),
  continues: fc.boolean(),
  wait: fc.integer({ min: 0, max: 3 }),
});
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never;

/** Stores a conversation of these turns, in the forms that runs leave behind. */
async function build(deps: Place, turns: readonly Turn[], about: { title: string; project: boolean }) {
  const conversationId = newId();
  let projectId: string | null = null;
  if (about.project) {
    projectId = newId();
    const fields = { name: "Cherries", instructions: "Be kind.", files: [] };
    await deps.store.projects.add(
      { id: projectId, userId: user, createdAt: start, ...fields },
      { count: 999, bytes: 999_999 },
    );
  }
  let at = start;
  await deps.store.conversations.create({
    ...{ id: conversationId, userId: user, title: about.title, leafId: null, projectId },
    ...{
      pinned: turns.length % 2 === 0,
      archived: turns.length % 3 === 0,
      createdAt: start,
      updatedAt: start,
    },
    choice: { model: "demo/demo", servers: null, allowReads: true },
  });
  const ends: (string | null)[] = [null];
  let before: string | undefined;
  for (const one of turns) {
    at += one.wait;
    const parentId = ends[one.parent % ends.length] ?? null;
    const told = await storeTurn(deps, one, { conversationId, parentId, at, before });
    ends.push(told.leafId);
    before = told.runId;
    at = told.at;
  }
  return conversationId;
}

async function storeTurn(
  deps: Place,
  one: Turn,
  {
    conversationId,
    parentId,
    at,
    before,
  }: { conversationId: string; parentId: string | null; at: number; before: string | undefined },
) {
  const runId = newId();
  const agent = one.isWorkflow ? { agent: "document/critic" } : {};
  const question: ChatMessage = { role: "user", parts: [{ type: "text", text: one.words }] };
  if (one.hasFile) question.parts.push(toPart(await storeFile(deps, conversationId, one.words)));
  const { chunks, delta } = answerOf(one, agent);
  const rows: MessageRow[] = [
    {
      ...{ id: newId(), conversationId, parentId, message: question },
      ...{ runId: null, model: null, clientMessageId: newId(), createdAt: at },
    },
  ];
  for (const message of delta)
    rows.push({
      ...{ id: newId(), conversationId, parentId: rows.at(-1)?.id ?? null, message },
      ...{ runId, model: "demo/demo", clientMessageId: null, createdAt: at + 1 },
    });
  await deps.store.messages.append(conversationId, rows);
  const usage = { inputTokens: 7, outputTokens: 3, cost: 0.01 };
  const result = {
    stopReason: "end_turn" as const,
    finalText: "End.",
    iterationsUsed: 1,
    timedOut: false,
    usage,
  };
  const row: RunRow = {
    ...{ id: runId, conversationId, userId: user, messageId: rows[0]?.id ?? "", parentId: rows[0]?.id ?? "" },
    ...{
      status: one.status as RunRow["status"],
      model: "demo/demo",
      agent: one.isWorkflow ? "document" : null,
    },
    continues: one.continues ? (before ?? null) : null,
    options: {
      maxIterations: 4,
      servers: ["desk"],
      ...(one.isWorkflow && { workflow: { type: "llm", name: "critic" } }),
    },
    ...{ startedAt: at, endedAt: at + 2, iterations: timeline(chunks) },
    result: { ...result, messages: delta.length },
  };
  await deps.store.runs.create(row);
  const log: Chunk[] = [...chunks, { type: "result", result: { ...result, historyDelta: delta } }];
  await deps.store.log.append(
    runId,
    log.map((data, index) => ({ seq: index + 1, at: at + 1, data: { ...data, at: at + 1 } })),
    true,
  );
  return { leafId: rows.at(-1)?.id ?? null, runId, at: at + 2 };
}

async function storeFile(deps: Place, conversationId: string, words: string): Promise<AttachmentRow> {
  const id = newId();
  const content = `About ${words}`;
  await deps.files.receive(id, Readable.from([Buffer.from(content)]));
  await deps.files.keep(id, content);
  const row = {
    ...{ id, userId: user, conversationId, projectId: null, name: "about.txt", mediaType: "text/plain" },
    ...{ size: Buffer.byteLength(content), characters: content.length, createdAt: start },
  };
  await deps.store.attachments.add(row, 10_000_000);
  return row;
}

function answerOf(one: Turn, agent: { agent?: string }): { chunks: Chunk[]; delta: ChatMessage[] } {
  const calls = one.calls.map(
    ({ args }): ToolCall => ({
      type: "tool_call",
      id: newId() as ToolCallId,
      name: "desk__work",
      args,
      signature: "c2ln",
    }),
  );
  const results = calls.map(
    ({ id }, index): ToolResult => ({
      id,
      status: (one.calls[index]?.status ?? "ok") as ToolResult["status"],
      content: [{ type: "text", text: one.words }],
      structured: one.calls,
    }),
  );
  const said: ChatMessage = { role: "user", parts: [{ type: "text", text: "Shorter." }] };
  const delta: ChatMessage[] = [];
  if (calls.length > 0)
    delta.push(
      {
        role: "assistant",
        ...agent,
        parts: [{ type: "reasoning", text: "Hm.", signature: "c2lnbmVk" }, ...calls],
      },
      { role: "tool", ...agent, results },
    );
  if (one.isSteered) delta.push(said);
  delta.push({ role: "assistant", ...agent, parts: [{ type: "text", text: one.words }] });
  const chunks: Chunk[] = [
    { type: "iteration", index: 1, limit: 4 },
    ...calls.flatMap((each): Chunk[] => [
      { type: "tool_call", call: each, ...agent },
      { type: "tool_start", id: each.id, args: each.args, ...agent },
    ]),
    ...results.map((result): Chunk => ({ type: "tool_result", result, durationMs: 3, ...agent })),
    ...(one.isSteered ? [{ type: "message" as const, id: newId(), message: said }] : []),
    { type: "text", content: one.words, ...agent },
    { type: "usage", stopReason: "end_turn", inputTokens: 7, outputTokens: 3 },
    { type: "agent", name: "critic", event: "end", output: one.words, state: { draft: one.words }, ...agent },
  ];
  return { chunks, delta };
}

const about = fc.record({ title: fc.constantFrom("Cherries", "天気の話"), project: fc.boolean() });

test("what is exported, imported into another data folder and exported again is the same, and the same file brings nothing twice", async () => {
  const from = await open();
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 6 }), about, async (turns, told) => {
      const to = await open();
      const id = await build(from, turns, told);
      const json = await exportedFrom(from, id);
      expect(json).not.toContain("allowReads");
      expect(await importInto(to, json)).toMatchObject({
        outcome: "imported",
        conversationId: id,
        leftOut: [],
      });
      expect(await exportedFrom(to, id)).toBe(json);
      expect(await importInto(to, json)).toEqual({ outcome: "already_here", conversationId: id });
      expect(await importInto(from, json)).toEqual({ outcome: "already_here", conversationId: id });
      expect(await exportedFrom(to, id)).toBe(json);
    }),
    { numRuns: 20 },
  );
});

const works = (id: string) => [call(id, "desk__work", { n: 1 }), stop("tool_use")];
const done = [text("Done."), stop("end_turn")];
const never = new Promise<never>(() => {});

test("a run that was being written arrives as interrupted, with what its log holds, and can be resumed", async () => {
  const from = await startAlone([text("Half "), never]);
  const run = await ask(from);
  await expect.poll(() => kindsOf(from, run)).toBe("iteration text");
  const json = await exportedFrom(from, run.conversationId);
  expect(JSON.parse(json).runs).toMatchObject([{ status: "running", result: null }]);
  const to = await startAlone(done);
  await importInto(to, json);
  const here = await stored(to, run.id);
  expect(here).toMatchObject({
    status: "interrupted",
    result: { stopReason: "interrupted", finalText: "Half " },
  });
  expect(await historyOf(to, here)).toMatchObject([{ role: "user" }, { parts: [{ text: "Half " }] }]);
  expect((await logOf(to, here)).at(-1)).toMatchObject({
    type: "result",
    result: { stopReason: "interrupted" },
  });
  const again = await exportedFrom(to, run.conversationId);
  expect(await importInto(to, json)).toMatchObject({ outcome: "already_here" });
  expect(await exportedFrom(to, run.conversationId)).toBe(again);
  const next = await ended(to, await resumeRun(to, here));
  expect(next).toMatchObject({ status: "completed", result: { finalText: "Done." } });
});

test("one that waited arrives as interrupted, and nobody has allowed here what was allowed there", async () => {
  const from = await startAlone(works("a"));
  const run = await ended(from, await ask(from));
  expect(run.status).toBe("waiting");
  const file: ConversationFile = JSON.parse(await exportedFrom(from, run.conversationId));
  const log = file.runs[0]?.events ?? [];
  const id = "a" as ToolCallId;
  for (const data of [
    { type: "answer", requestId: "a", id, answer: { decision: "approve_run" } },
    { type: "tool_state", id, state: "a task of somebody" },
  ] as Chunk[])
    log.push({ seq: log.length + 1, at: new Date(start).toISOString(), data });
  const to = await startAlone(works("b"));
  await importInto(to, JSON.stringify(file));
  const here = await stored(to, run.id);
  expect(here.status).toBe("interrupted");
  expect((await historyOf(to, here)).at(-1)).toMatchObject({
    role: "tool",
    results: [{ id: "a", status: "error", reason: "cut_short" }],
  });
  const next = await ended(to, await resumeRun(to, here));
  expect(next).toMatchObject({
    status: "waiting",
    options: expect.not.objectContaining({ isImported: true }),
  });
  expect(await questionsOf(to, next)).toMatchObject([{ type: "approval_request" }]);
  expect(to.world.desk.calls).toEqual([]);
});

test("what a file says of how an answer is made holds only as far as a request could say it", async () => {
  const from = await startAlone([text("Half "), never]);
  const run = await ask(from);
  await expect.poll(() => kindsOf(from, run)).toBe("iteration text");
  const json = await exportedFrom(from, run.conversationId);
  const forged = async (change: object) => {
    const file: ConversationFile = JSON.parse(json);
    Object.assign(file.runs[0] ?? {}, change);
    const to = await startAlone(done);
    await importInto(to, JSON.stringify(file));
    return resumeRun(to, await stored(to, run.id)).then((next) => ended(to, next));
  };
  const loop = { type: "loop", name: "round", maxIterations: 3e7, agents: [] };
  const said = { type: "llm", name: "critic", instruction: "Be kind." };
  const workflow = (agent: object) => ({ agent: "critic", options: { workflow: { name: "critic", agent } } });
  for (const change of [
    workflow(loop),
    workflow({ ...loop, agents: [said] }),
    { agent: "critic", options: { workflow: 7 } },
    { options: { maxIterations: 1e9 } },
    { options: { timeoutMs: 1e15 } },
    { options: { toolTimeoutMs: 1e12 } },
    { options: { maxOutputTokens: 1e12 } },
  ])
    await expect(forged(change), JSON.stringify(change)).rejects.toMatchObject({
      ...{ status: 422, code: "not_supported" },
    });
  expect(await forged(workflow({ ...loop, maxIterations: 1, agents: [said] }))).toMatchObject({
    status: "completed",
  });
  expect(await forged({ options: { maxIterations: 4 } })).toMatchObject({ status: "completed" });
});

test("what nothing later could read is refused by its place, and a newer version by name", async () => {
  const from = await open();
  const id = await build(
    from,
    [
      {
        parent: 0,
        words: "Hi",
        hasFile: true,
        isSteered: false,
        isWorkflow: false,
        calls: [],
        status: "completed",
        continues: false,
        wait: 1,
      },
    ],
    { title: "Cherries", project: false },
  );
  const json = await exportedFrom(from, id);
  const changed = (change: (file: ConversationFile) => void): ConversationFile => {
    const file = JSON.parse(json);
    change(file);
    return file;
  };
  const first = (file: ConversationFile) => file.runs[0] ?? expect.fail("There is no run.");
  const faults: [RegExp, (file: ConversationFile) => void][] = [
    [/^runs\.0\.continues: /, (file) => Object.assign(first(file), { continues: first(file).id })],
    [/^runs\.1\.id: is there twice/, (file) => file.runs.push(first(file))],
    [/^runs\.0\.events\.1\.seq: must be 2/, (file) => first(file).events.splice(1, 1)],
    [
      /^runs\.0\.events\.0\.data\.call: /,
      (file) => Object.assign(first(file).events[0] ?? {}, { data: { type: "tool_call" } }),
    ],
    [
      /^messages\.0\.message\.parts\.0/,
      (file) => Object.assign(file.messages[0]?.message ?? {}, { parts: [{ type: "text" }] }),
    ],
    [/^runs\.0\.iterations: /, (file) => Object.assign(first(file), { iterations: {} })],
    [
      /^runs\.0\.events\.0\.data\.at: /,
      (file) => Object.assign(first(file).events[0]?.data ?? {}, { at: 1e300 }),
    ],
    [/^createdAt: /, (file) => Object.assign(file, { createdAt: "yesterday" })],
  ];
  for (const [message, change] of faults)
    expect(() => readOwnFile(changed(change)), String(message)).toThrow(message);
  expect(() => readOwnFile(changed((file) => Object.assign(file, { version: 2, messages: 7 })))).toThrow(
    /newer version/,
  );
  const circle = changed((file) => {
    const [question, answer] = file.messages;
    Object.assign(question ?? {}, { parentId: answer?.id });
    Object.assign(first(file), { status: "running", result: null, endedAt: null });
  });
  expect(readOwnFile(circle).runs).toMatchObject([{ row: { status: "completed" } }]);
  const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`);
  expect(() => readOwnFile({ ...JSON.parse(json), later: deep })).toThrow(/nested/);
  expect(() =>
    readOwnFile(
      changed((file) => Object.assign(first(file).events[0] ?? {}, { data: { type: "of_a_later_version" } })),
    ),
  ).not.toThrow();
});

test("runs without an end that all continue one long log are refused before they are read", () => {
  const at = "2026-11-20T09:00:00.000Z";
  const runs = Array.from({ length: 5_000 }, (_, index) => ({
    ...{ id: `r${index}`, messageId: "q", parentId: "q", model: "demo/demo", agent: null },
    ...{ status: index === 0 ? "completed" : "running", continues: index === 0 ? null : "r0" },
    ...{ startedAt: at, endedAt: null, options: {}, iterations: [], result: null },
    events: Array.from({ length: index === 0 ? 100_000 : 0 }, (_, seq) => ({
      ...{ seq: seq + 1, at, data: { type: "text", content: "x" } },
    })),
  }));
  const message = { role: "user", parts: [{ type: "text", text: "When?" }] };
  const file = {
    ...{ meguri: "conversation", version: 1, id: newId(), title: "Cherries", createdAt: at, updatedAt: at },
    ...{ pinned: false, archived: false, project: null, choice: null, leafId: "q", waiting: [], files: [] },
    messages: [{ id: "q", parentId: null, createdAt: at, message }],
  };
  expect(() => readOwnFile({ ...file, runs })).toThrow(/^runs: too many of them have not ended/);
  expect(readOwnFile({ ...file, runs: runs.slice(0, 5) }).runs).toHaveLength(5);
});

test("the example of docs/conversation-file.md is such a file", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../docs/conversation-file.md"), "utf8");
  const [, example = ""] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
  const to = await open();
  const { id } = JSON.parse(example);
  expect(await importInto(to, example)).toMatchObject({
    outcome: "imported",
    conversationId: id,
    leftOut: [],
  });
  expect(JSON.parse(await exportedFrom(to, id))).toEqual(JSON.parse(example));
});
