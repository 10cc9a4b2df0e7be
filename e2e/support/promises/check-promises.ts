import { isDeepStrictEqual } from "node:util";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ChatMessage } from "@/lib/protocol/message";
import type { StreamEvent } from "@/lib/protocol/sse";
import { apiOf } from "../api";
import type { App } from "../app";
import { logged, readStream } from "../follow-stream";
import type { Gated, JournalLine } from "../gated";
import { processes } from "../processes";
import { expect } from "../server-test";
import type { History } from "./history";
import { filesWith, type ReadRows, readStored, rowsIn, type StoredRun } from "./stored";

/** What the outside has seen of one application, to be held against what it has stored. */
interface Seen {
  app: Pick<App, "dataDir" | "fetch" | "output">;
  /** Those of the data folder where it is not said. */
  rows?: ReadRows;
  history: History;
  /** Of the MCP server, whose calls have an argument `key` that no other call has. */
  journal: readonly JournalLine[];
  /** Keys that must be nowhere on the disk, in a stream or in the output. */
  secrets: readonly string[];
  /** Runs that may have been cut short; any without it. */
  cut?: readonly string[];
  /** Logs that were read before, which are not read again while their runs are as they were; those that are read are added. */
  known?: Map<string, Log>;
}

export interface Log extends StoredRun {
  /** Another run goes on from it. */
  isContinued: boolean;
  events: ReturnType<typeof logged>;
  chunks: Chunk[];
}

/**
 * Holds the application to its promises (`docs/reliability.md`) while nothing runs in it: what clients were told, what the MCP
 * server was asked, the database and the logs must tell the same story. It shares no code with what wrote them.
 */
export async function checkPromises({
  app,
  rows = rowsIn(app.dataDir),
  history,
  journal,
  secrets,
  cut,
  known = new Map(),
}: Seen): Promise<void> {
  const stored = await readStored(rows);
  // P1: acknowledged is durable, once.
  for (const { clientMessageId, text } of history.messages)
    same(stored.textsOf(clientMessageId), [text], `P1: ${clientMessageId}`);
  // P2: nothing is left running without somebody who runs it.
  same(
    stored.runs.filter(({ status }) => status === "running"),
    [],
    "P2: runs that nobody drives",
  );
  for (const { id, status } of stored.runs)
    holds(status !== "interrupted" || cut?.includes(id) !== false, `P2: ${id} was cut short by nobody`);
  const logs: Log[] = [];
  for (const run of stored.runs) {
    const isContinued = stored.runs.some(({ continues }) => continues === run.id);
    const before = known.get(run.id);
    const log =
      before?.status === run.status && before.isContinued === isContinued
        ? before
        : await readLog(app, { ...run, isContinued });
    known.set(run.id, log);
    logs.push(log);
  }
  for (const stream of history.streams) checkStream(stream, logs);
  checkCalls(logs, journal);
  checkGivenUp(logs, journal);
  checkStops(history, logs, journal);
  // P14: the key stays in the process.
  same(filesWith(app.dataDir, secrets), [], "P14: files with a secret");
  const told = JSON.stringify([history.streams, logs, app.output()]);
  for (const secret of secrets) holds(!told.includes(secret), "P14: a secret was told");
  for (const { request, status, body } of history.refusals) checkRefusal(request, status, body);
}

async function readLog(app: Pick<App, "fetch">, run: Omit<Log, "events" | "chunks">): Promise<Log> {
  const { events } = await readStream(await app.fetch(`/api/runs/${run.id}/stream`));
  const last = events.at(-1);
  holds(
    last?.event === "end" && last.data.status === run.status,
    `P8: ${run.id} does not end as its row says`,
  );
  const log = { ...run, events: logged(events), chunks: logged(events).map(({ data }) => data) };
  checkEnd(log);
  return log;
}

/** P8: one end, last; its messages are what the conversation has, and what a model takes. P7: no more turns than allowed. */
function checkEnd(log: Log): void {
  const { id, status, chunks, events, roles, answered, isContinued } = log;
  same(
    events.map(({ id: seq }) => seq),
    events.map((_, index) => index + 1),
    `P4: numbers of ${id}`,
  );
  const results = chunks.filter((chunk) => chunk.type === "result");
  same(results.length, 1, `P8: ends of ${id}`);
  const last = chunks.at(-1);
  if (last?.type !== "result") throw new Error(`P8: ${id} does not end with its result`);
  const { historyDelta, stopReason } = last.result;
  // Its log ended with a question. Then another run went on from the answer, or a person went on without one.
  const waited = waits.test(stopReason);
  const isAnswered = waited && isContinued && status === "completed";
  const isLeft = waited && status === "stopped";
  const reasons = isAnswered || isLeft ? waits : reasonsOf[status];
  holds(reasons?.test(stopReason) === true, `P8: ${id} is ${status} and ended for ${stopReason}`);
  // What it asked about may be a call of the run before, whose outcome nobody knows.
  const open = openCalls(historyDelta, chunks, isLeft);
  const expected = historyDelta.map(({ role }) => role).filter((role) => role !== "user");
  same(
    roles.filter((role) => role !== "user"),
    isLeft && open.length > 0 ? [...expected, "tool"] : expected,
    `P8: messages of ${id}`,
  );
  const unanswered = isLeft ? open.filter((call) => !answered.includes(call)) : open;
  if (status !== "waiting" && !isAnswered) same(unanswered, [], `P8: calls of ${id} without an answer`);
  for (const chunk of chunks)
    if (chunk.type === "iteration" && chunk.limit !== undefined)
      holds(chunk.index <= chunk.limit, `P7: ${id} has a turn ${chunk.index} of ${chunk.limit}`);
}

const waits = /^(awaiting_approval|awaiting_input|budget)$/;

const reasonsOf: Record<string, RegExp> = {
  completed: /^(end_turn|max_tokens|max_iterations|timeout|budget)$/,
  stopped: /^aborted$/,
  waiting: waits,
  interrupted: /^interrupted$/,
  failed: /^(error|timeout)$/,
};

/**
 * Calls of a model's messages that no later message answers, and with `asked` those that a person was asked about; the answer
 * may stand in a later run of the chain.
 */
function openCalls(delta: readonly ChatMessage[], chunks: readonly Chunk[], asked: boolean): string[] {
  const open = new Set<string>(
    chunks.flatMap((chunk) => (asked && chunk.type === "approval_request" ? [chunk.call.id] : [])),
  );
  for (const message of delta) {
    if (message.role === "assistant")
      for (const part of message.parts) if (part.type === "tool_call") open.add(part.id);
    if (message.role === "tool") for (const { id } of message.results) open.delete(id);
  }
  for (const chunk of chunks) if (chunk.type === "tool_result") open.delete(chunk.result.id);
  return [...open];
}

/** P4: what a reader got is what the log holds, in order and each once, also when pieces of text came as one. */
function checkStream(
  { runId, after, events }: { runId: string; after: number; events: readonly StreamEvent[] },
  logs: readonly Log[],
): void {
  const log = logs.find(({ id }) => id === runId);
  if (!log && events.length === 0) return;
  if (!log) throw new Error(`P1: ${runId} was told of and is not there`);
  let next = after + 1;
  for (const { id, data } of logged(events)) {
    same(data.from ?? id, next, `P4: ${runId} goes on after ${next - 1}`);
    const parts = log.chunks.slice(next - 1, id);
    same(parts.length, id - next + 1, `P4: ${runId} was told ${id}, which is not stored`);
    same(wordsOf([data]), wordsOf(parts), `P4: ${runId}, event ${id}`);
    next = id + 1;
  }
}

/** Pieces of text that follow each other as one; everything else as it is. */
function wordsOf(chunks: readonly Chunk[]): unknown[] {
  const words: unknown[] = [];
  let text: { text: string } | undefined;
  for (const chunk of chunks) {
    const isText = chunk.type === "text" && chunk.signature === undefined;
    if (isText && text) text.text += chunk.content;
    else if (isText) {
      text = { text: chunk.content };
      words.push(text);
    } else {
      text = undefined;
      const { from: _, ...plain } = chunk as Chunk & { from?: number };
      words.push(plain);
    }
  }
  return words;
}

/** P3: nothing ran whose intent is not in a log, and nothing ran more often than it was sent; what is unknown is called so. */
function checkCalls(logs: readonly Log[], journal: readonly JournalLine[]): void {
  const chunks = logs.flatMap((log) => log.chunks);
  const ran = countBy(journal.flatMap(({ event, args }) => (event === "call" ? [String(args?.key)] : [])));
  const sent = countBy(
    chunks.flatMap((chunk) => (chunk.type === "tool_start" ? [String(chunk.args.key)] : [])),
  );
  for (const [key, times] of ran)
    holds(
      times <= (sent.get(key) ?? 0),
      `P3: ${key} ran ${times} times and was sent ${sent.get(key) ?? 0} times`,
    );
  const keys = new Map(
    chunks.flatMap((chunk) => (chunk.type === "tool_call" ? [[chunk.call.id, chunk.call.args.key]] : [])),
  );
  for (const chunk of chunks) {
    if (chunk.type !== "tool_result" || chunk.result.by === "person") continue;
    const key = String(keys.get(chunk.result.id));
    if (chunk.result.status === "ok") holds(ran.has(key), `P3: ${key} is said to have run`);
    if (chunk.result.status === "denied") holds(!ran.has(key), `P3: ${key} was refused, and ran`);
  }
}

/** P3: whoever had a run before it was cut short calls nothing for it afterwards. */
function checkGivenUp(logs: readonly Log[], journal: readonly JournalLine[]): void {
  const ends = new Map<string, number>();
  for (const { status, endedAt, chunks } of logs)
    for (const chunk of chunks) {
      if (chunk.type !== "tool_start") continue;
      const key = String(chunk.args.key);
      const end = status === "interrupted" && endedAt !== null ? endedAt : Number.POSITIVE_INFINITY;
      ends.set(key, Math.max(end, ends.get(key) ?? 0));
    }
  const late = journal.filter(
    ({ event, at, args }) => event === "call" && at > (ends.get(String(args?.key)) ?? at),
  );
  same(late, [], "P3: called for a run that was cut short before");
}

/** P5: after the answer to Stop nothing of that run starts. */
function checkStops({ stops }: History, logs: readonly Log[], journal: readonly JournalLine[]): void {
  for (const { runId, at } of stops) {
    const log = logs.find(({ id }) => id === runId);
    const calls = (log?.chunks ?? []).flatMap((chunk) => (chunk.type === "tool_call" ? [chunk.call] : []));
    const continued = logs.some(({ continues }) => continues === runId);
    if (continued) continue;
    const keys = new Set(calls.map(({ args }) => args.key));
    const late = journal.filter((line) => line.event === "call" && keys.has(line.args?.key) && line.at > at);
    same(late, [], `P5: started after Stop of ${runId}`);
  }
}

/** P16: a code that is no fault of ours, and a sentence. */
function checkRefusal(request: string, status: number, body: string): void {
  const { error } = JSON.parse(body) as { error: { code: string; message: string } };
  expect(error, `P16: ${request} answered ${status}`).toMatchObject({
    code: expect.stringMatching(/^(?!internal$)[a-z_]+$/),
    message: expect.stringMatching(/\w.*[.:]/),
  });
}

/** Cheaper than `expect`, which keeps a record of each of thousands of comparisons. */
function same(actual: unknown, expected: unknown, what: string): void {
  holds(
    isDeepStrictEqual(actual, expected),
    `${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`,
  );
}

function holds(isTrue: boolean, what: string): void {
  if (!isTrue) throw new Error(what);
}

function countBy(keys: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** P11: a page of another origin can neither read nor change anything, whatever has happened before. */
export async function checkForeignOrigin(app: Pick<App, "baseUrl" | "fetch">): Promise<void> {
  const foreign = { origin: "https://evil.example", "content-type": "application/json" };
  const changed = await app.fetch("/api/chat", { method: "POST", headers: foreign, body: "{}" });
  expect(changed.status, "P11: a change from elsewhere").toBe(403);
  const unsigned = await fetch(`${app.baseUrl}/api/conversations`);
  expect(unsigned.status, "P11: a stranger").toBe(401);
  expect(await apiOf(app).get("/api/conversations")).toHaveProperty("items");
}

const mostMemory = 700 * 1024 * 1024;
const ties = /setpriv|unshare/;

/**
 * P9: of the servers that a killed application has left, none lives. P12: nothing was started but what was approved. P15: memory
 * has a bound.
 */
export async function checkProcesses(
  pids: readonly number[],
  { journal, config }: Pick<Gated, "journal" | "config">,
) {
  const approved = (config.args ?? []).join(" ");
  await expect(async () => {
    const living = processes();
    // Without those that only tie its descendants to it.
    const servers = living.filter(({ command }) => command.includes(journal) && !ties.test(command));
    expect(servers.length, "P9: servers that live").toBeLessThanOrEqual(pids.length);
    const others = living.filter(
      ({ parent, command }) => pids.includes(parent) && !command.includes(approved),
    );
    expect(others, "P12: what was started").toEqual([]);
    const mine = living.filter(({ pid }) => pids.includes(pid));
    expect(mine.length, "P15: processes that live").toBe(pids.length);
    for (const { memory } of mine) expect(memory, "P15: bytes of memory").toBeLessThan(mostMemory);
  }).toPass({ timeout: 10_000, intervals: [50, 100, 200] });
}
