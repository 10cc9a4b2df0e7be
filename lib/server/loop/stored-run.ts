import type { Logger } from "pino";
import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import { lastText } from "@/lib/protocol/history";
import { isDuplicate } from "@/lib/server/http/store-failure";
import type { RunLog, Store } from "@/lib/store/ports";
import type { LogEvent, MessageRow, RunEnd, RunRow } from "@/lib/store/types";
import { intentMissing } from "./gateway-intent";

interface LogDeps {
  store: { log: Pick<RunLog, "read"> };
}

const pageSize = 1000;

/** Everything of a run at once, for the folds over a chain and for `GET /api/runs/:id/events`. */
export async function readWholeLog(deps: LogDeps, runId: string): Promise<LogEvent[]> {
  const events: LogEvent[] = [];
  while (true) {
    const page = await deps.store.log.read(runId, events.at(-1)?.seq ?? 0, pageSize);
    events.push(...page);
    if (page.length < pageSize) return events;
  }
}

/** All of a log, or the lines before a damaged one. */
export async function readReadable(
  deps: LogDeps & { log: Pick<Logger, "error"> },
  runId: string,
): Promise<LogEvent[]> {
  try {
    return await readWholeLog(deps, runId);
  } catch (err) {
    deps.log.error({ err, runId }, "a line of a run's log cannot be read; what stands before it is kept");
  }
  const events: LogEvent[] = [];
  while (true) {
    const [event] = await deps.store.log.read(runId, events.at(-1)?.seq ?? 0, 1).catch(() => []);
    if (!event) return events;
    events.push(event);
  }
}

interface MessageDeps {
  store: Pick<Store, "messages">;
}

/** The last message that a run has stored, or where it hangs when it stored none. */
export const lastMessageOf = async (deps: MessageDeps, run: RunRow): Promise<string> =>
  (await messagesOf(deps, run)).at(-1)?.id ?? run.parentId;

/** All messages that a run has stored, each hanging on the one before. */
export async function messagesOf({ store }: MessageDeps, run: RunRow): Promise<MessageRow[]> {
  const found: MessageRow[] = [];
  // Its delta is a chain; other runs may hang on any link of it.
  for (let at = run.parentId; found.length < 10_000; ) {
    const ids = (await store.messages.children(run.conversationId, [at])).get(at) ?? [];
    const rows = await Promise.all(ids.map((id) => store.messages.get(run.conversationId, id)));
    const next = rows.find((row) => row?.runId === run.id);
    if (!next) break;
    found.push(next);
    at = next.id;
  }
  return found;
}

/** So long another process may be writing the end of a log, in ms; its result stands in the record before. */
export const endingMs = 10_000;

interface CompleteDeps extends LogDeps {
  store: Pick<Store, "log" | "messages" | "members">;
  /** The runs of this process that are still writing. */
  runs: { get(id: string): unknown };
  log: Pick<Logger, "error">;
}

/**
 * Writes what a crash between record and log left out: the results that calls got at the end of the run, and the line of
 * its result. Returns whether the log was incomplete. Of a run that is not `ours` another process may still be at it.
 */
export async function completeLog(deps: CompleteDeps, row: RunRow, isOurs = false): Promise<boolean> {
  const { result } = row;
  if (!result || deps.runs.get(row.id)) return false;
  const mayBeWritten = !isOurs && deps.store.members.mayBeMany;
  if (mayBeWritten && Date.now() - (row.endedAt ?? 0) < endingMs) return false;
  const seq = await deps.store.log.lastSeq(row.id);
  // One that cannot be read is not the result.
  const [last] = seq > 0 ? await deps.store.log.read(row.id, seq - 1, 1).catch(() => []) : [];
  if (last?.data.type === "result") return false;
  const at = row.endedAt ?? Date.now();
  const end = await wholeResult(deps, row, result);
  const log = await readReadable(deps, row.id);
  const results = missingResults(row, end, log);
  const asked = end.historyDelta
    .flatMap((message) => (message.role === "assistant" ? message.parts : []))
    .find((part) => part.type === "tool_call");
  const logged = log.map(({ data }) => data);
  const missing: Chunk[] = [
    ...intentMissing(row, logged, { result: results[0]?.result, asked }),
    ...results,
    { type: "result", result: end },
  ];
  const lines = missing.map((data, index) => ({ seq: seq + 1 + index, at, data: { ...data, at } }));
  await deps.store.log.append(row.id, lines, true).catch((cause) => {
    // Somebody else who reads it has added the same meanwhile.
    if (!isDuplicate(cause)) throw cause;
  });
  return true;
}

/** The result as the loop gave it. Its messages come from the record: the log lacks what was added at the end. */
export async function wholeResult(
  deps: MessageDeps,
  row: RunRow,
  { messages, ...result }: RunEnd,
): Promise<AgenticLoopResult> {
  const stored = messages > 0 ? await messagesOf(deps, row) : [];
  const historyDelta = stored.slice(0, messages).map(({ message }) => message);
  return { finalText: lastText(historyDelta), ...result, historyDelta };
}

/** A workflow stores whole steps, of which every result is in the log. */
function missingResults(
  row: RunRow,
  { historyDelta }: AgenticLoopResult,
  log: readonly LogEvent[],
): Extract<Chunk, { type: "tool_result" }>[] {
  if (row.agent) return [];
  const known = new Set(log.flatMap(({ data }) => (data.type === "tool_result" ? data.result.id : [])));
  return historyDelta
    .flatMap((message) => (message.role === "tool" ? message.results : []))
    .filter(({ id }) => !known.has(id))
    .map((result) => ({ type: "tool_result", result, durationMs: 0 }));
}
