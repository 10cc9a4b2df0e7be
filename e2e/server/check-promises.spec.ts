import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import type { RunEvent, StreamEvent } from "@/lib/protocol/sse";
import { encodeEvent } from "@/lib/protocol/sse";
import type { App } from "../support/app";
import type { JournalLine } from "../support/gated";
import { checkPromises } from "../support/promises/check-promises";
import { History } from "../support/promises/history";
import { expect, test } from "../support/server-test";

/** What one application has told, done and stored: a question that was answered after one call. */
interface Story {
  messages: { client: string; text: string }[];
  status: string;
  endedAt: number;
  /** Runs that may have been cut short. */
  cut?: string[];
  roles: string[];
  log: Chunk[];
  /** Numbers that its events have. */
  numbers: number[];
  told: StreamEvent[];
  journal: JournalLine[];
  stoppedAt?: number;
  file: string;
  refusal?: string;
}

const id = "call_1" as ToolCallId;
const call = { type: "tool_call", id, name: "gated__work", args: { key: "k" } } as const;
const result = { id, status: "ok", content: [{ type: "text", text: "work is done" }] } as const;
const log: Chunk[] = [
  { type: "iteration", index: 1, limit: 10 },
  { type: "text", content: "One " },
  { type: "text", content: "two." },
  { type: "tool_call", call },
  { type: "tool_start", id, args: { key: "k" } },
  { type: "tool_result", result: { ...result, content: [...result.content] }, durationMs: 1 },
  {
    type: "result",
    result: resultWith([
      { role: "assistant", parts: [{ type: "text", text: "One two." }, call] },
      { role: "tool", results: [{ ...result, content: [...result.content] }] },
    ]),
  },
];
const chunk = (number: number, data = log[number - 1]): StreamEvent =>
  ({ event: data?.type === "result" ? "result" : "chunk", id: number, data }) as StreamEvent;
const good: Story = {
  messages: [{ client: "message-1", text: "k" }],
  ...{ status: "completed", endedAt: 200, roles: ["user", "assistant", "tool"] },
  ...{ log, numbers: log.map((_, at) => at + 1) },
  told: [chunk(1), chunk(3, { type: "text", content: "One two.", from: 2 } as Chunk), chunk(4)],
  journal: [{ event: "call", at: 100, name: "work", args: { key: "k" } }],
  file: "nothing of interest",
};

const edit = (at: number, change: object): Chunk[] =>
  log.map((one, index) => (index === at ? ({ ...one, ...change } as Chunk) : one));
const without = (at: number): Pick<Story, "log" | "numbers"> => {
  const left = log.toSpliced(at, 1);
  return { log: left, numbers: left.map((_, index) => index + 1) };
};

const last = log[6]?.type === "result" ? log[6].result : undefined;
const interrupted: Partial<Story> = {
  status: "interrupted",
  log: edit(6, { result: { ...last, stopReason: "interrupted" } }),
};

const broken: [what: string, promise: string, change: Partial<Story>][] = [
  ["a message that is gone", "P1", { messages: [] }],
  ["a message that is there twice", "P1", { messages: [...good.messages, ...good.messages] }],
  ["a message with other words", "P1", { messages: [{ client: "message-1", text: "another" }] }],
  ["a run that nobody drives", "P2", { status: "running" }],
  ["a run that was cut short by nobody", "P2", { ...interrupted, cut: ["another"] }],
  ["a call that ran without an intent in the log", "P3", { ...without(4), told: [] }],
  ["a call that ran twice", "P3", { journal: [...good.journal, ...good.journal] }],
  ["a result of a call that never ran", "P3", { journal: [] }],
  ["a call for a run that was cut short before", "P3", { ...interrupted, endedAt: 50 }],
  [
    "a call that ran although it was refused",
    "P3",
    { log: edit(5, { result: { id, status: "denied", content: [] } }), told: [] },
  ],
  ["a log with a gap", "P4", { numbers: [1, 2, 3, 5, 6, 7, 8] }],
  ["an event that was told twice", "P4", { told: [chunk(1), chunk(1)] }],
  ["an event that was left out", "P4", { told: [chunk(1), chunk(4)] }],
  ["an event with other words than are stored", "P4", { told: [chunk(1), chunk(2, log[2])] }],
  [
    "an event beyond what is stored",
    "P4",
    { told: [...log.map((_, at) => chunk(at + 1)), chunk(8, log[1])] },
  ],
  ["a call after Stop was answered", "P5", { stoppedAt: 50 }],
  ["a turn beyond the limit", "P7", { log: edit(0, { index: 11 }), told: [] }],
  [
    "two ends",
    "P8",
    { log: [...log.slice(0, 6), ...log.slice(6), ...log.slice(6)], numbers: [1, 2, 3, 4, 5, 6, 7, 8] },
  ],
  ["no end", "P8", { ...without(6) }],
  ["an end of another kind than the status says", "P8", { status: "interrupted" }],
  [
    "a call that nobody has answered",
    "P8",
    {
      ...without(5),
      log: edit(6, { result: resultWith([{ role: "assistant", parts: [call] }]) }).toSpliced(5, 1),
      ...{ roles: ["user", "assistant"], told: [], journal: [] },
    },
  ],
  ["messages that are not those of the end", "P8", { roles: ["user", "assistant"] }],
  ["a key in a file", "P14", { file: "… canary …" }],
  ["a key in a stream", "P14", { log: edit(2, { content: "canary" }), told: [] }],
  ["an error of ours", "P16", { refusal: '{"error":{"code":"internal","message":"Something is wrong."}}' }],
];

test("a story in which everything is true passes", async () => {
  await expect(tell(good)).resolves.toBeUndefined();
  await expect(tell({ ...good, ...interrupted, cut: ["r"] })).resolves.toBeUndefined();
});

for (const [what, promise, change] of broken) {
  test(`the check of promises sees ${what}`, async () => {
    await expect(tell({ ...good, ...change })).rejects.toThrow(new RegExp(`\\b${promise}\\b`));
  });
}

function resultWith(historyDelta: ChatMessage[]): AgenticLoopResult {
  return {
    ...{ stopReason: "end_turn", finalText: "two.", iterationsUsed: 1, timedOut: false },
    ...{ usage: { inputTokens: 1, outputTokens: 1 }, historyDelta },
  };
}

/** Stores the story as the application would, and has it checked. */
async function tell(story: Story): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "meguri-story-"));
  try {
    store(dataDir, story);
    const events = story.numbers.map((number, at) => encodeEvent(chunk(number, story.log[at]))).join("");
    const opened = encodeEvent({ event: "run", data: { runId: "r" } as RunEvent });
    const ended = encodeEvent({ event: "end", data: { status: story.status as "completed" } });
    const fetch = async () => new Response(`${opened}${events}${ended}`);
    const app = { dataDir, fetch, output: () => "" } as unknown as App;
    const history = new History(app);
    history.messages.push({ clientMessageId: "message-1", text: "k" });
    history.streams.push({ runId: "r", after: 0, events: story.told });
    if (story.stoppedAt !== undefined) history.stops.push({ runId: "r", at: story.stoppedAt });
    if (story.refusal) history.refusals.push({ request: "POST /api/chat", status: 500, body: story.refusal });
    const { journal, cut } = story;
    await checkPromises({ app, history, journal, secrets: ["canary"], ...(cut && { cut }) });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function store(dataDir: string, { messages, status, endedAt, roles, file }: Story): void {
  mkdirSync(join(dataDir, "deep"));
  writeFileSync(join(dataDir, "deep", "file"), file);
  const db = new DatabaseSync(join(dataDir, "meguri.db"));
  db.exec(`
    create table message (id text, parent_id text, run_id text, role text, client_message_id text, body text);
    create table queued_message (id text, client_message_id text, body text, state text);
    create table run (id text, conversation_id text, status text, continues text, ended_at integer);`);
  for (const { client, text } of messages)
    db.prepare("insert into message values (?, null, null, 'user', ?, ?)").run(
      ...[`m-${client}`, client, JSON.stringify({ parts: [{ type: "text", text }] })],
    );
  let parent = null;
  for (const role of roles) {
    db.prepare("insert into message values (?, ?, 'r', ?, null, '{}')").run(`m-${role}`, parent, role);
    parent = `m-${role}`;
  }
  db.prepare("insert into run values ('r', 'c', ?, null, ?)").run(status, endedAt);
  db.close();
}
