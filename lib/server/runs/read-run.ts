import { redact } from "@/lib/protocol/redact";
import { encodeEvent, heartbeat } from "@/lib/protocol/sse";
import { StreamQuery } from "@/lib/server/contract/chat";
import { readQuery } from "@/lib/server/http/body";
import { HttpError } from "@/lib/server/http/errors";
import { changeOrHeartbeat, eventResponse } from "@/lib/server/http/event-stream";
import type { RunRow } from "@/lib/store/types";
import { type Frame, toFrame } from "./live-run";
import { mergePieces } from "./merge-pieces";
import type { RunDeps } from "./run-deps";
import { completeLog, readWholeLog } from "./whole-log";

/** What one pull hands over at most; with the stream's own queue a reader that reads nothing holds about twice that. */
const maxBatchChars = 64_000;
const pageSize = 256;
/** Events that wait for a reader of a live run; from then on it is given pieces of text together. */
const manyWaiting = 32;

/**
 * The events of a run after `afterSeq`, then live ones, then `end`, as text/event-stream. Pull-based: a slow reader
 * is served from the log at its own pace and holds nothing in memory. Ending it never touches the run.
 */
export function streamRun(deps: RunDeps, row: RunRow, afterSeq: number, signal: AbortSignal): Response {
  return eventResponse(readFrames(deps, row, afterSeq, signal), { headers: { "X-Run-Id": row.id } });
}

async function* readFrames(
  deps: RunDeps,
  row: RunRow,
  afterSeq: number,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  let seq = afterSeq;
  let opening = opened(row, seq);
  const end = deps.runs.get(row.id)?.lastSeq ?? (await deps.store.log.lastSeq(row.id));
  if (afterSeq > end) {
    seq = 0;
    opening = opened(row, 0) + encodeEvent({ event: "reset" });
  }
  yield opening;
  while (!signal.aborted) {
    const live = deps.runs.get(row.id);
    // Taken before the look at the tail, so that nothing slips between the look and the wait.
    const change = live?.next();
    const done = live === undefined || live.isDone;
    const batch = live?.framesAfter(seq) ?? (await readLog(deps, row.id, seq));
    const isBehind = seq >= end && batch.length > manyWaiting;
    const text = takeBatch(isBehind ? mergePieces(batch) : batch);
    if (text.last > 0) {
      seq = text.last;
      yield text.joined;
    } else if (done) break;
    else if (!(await changeOrHeartbeat(change, signal))) yield heartbeat;
  }
  const ended = await deps.store.runs.get(row.userId, row.id);
  // One that is gone was stopped and deleted with its conversation.
  if (!signal.aborted) yield encodeEvent({ event: "end", data: { status: ended?.status ?? "stopped" } });
}

const opened = (row: RunRow, seq: number) =>
  encodeEvent({
    event: "run",
    data: {
      runId: row.id,
      conversationId: row.conversationId,
      messageId: row.messageId,
      ...(row.continues && { continues: row.continues }),
      ...(!row.continues && row.options.rerun && { rerun: row.options.rerun }),
      seq,
    },
  });

/** A page of the log up to a damaged event; throws when that is the first one. */
async function readLog(deps: RunDeps, runId: string, seq: number): Promise<Frame[]> {
  const { log } = deps.store;
  const page = await log.read(runId, seq, pageSize).catch(async () => {
    const [first] = await log.read(runId, seq, 1);
    const events = first ? [first] : [];
    for (let last = first; last && events.length < pageSize; ) {
      [last] = await log.read(runId, last.seq, 1).catch(() => []);
      if (last) events.push(last);
    }
    return events;
  });
  return page.map((event) => toFrame(event));
}

function takeBatch(frames: readonly Frame[]): { joined: string; last: number } {
  let joined = "";
  let last = 0;
  for (const frame of frames) {
    if (joined !== "" && joined.length + frame.text.length > maxBatchChars) break;
    joined += frame.text;
    last = frame.seq;
  }
  return { joined, last };
}

/** Like `streamRun`, after the `Last-Event-ID` header or `?after=`. */
export async function streamRunFrom(deps: RunDeps, row: RunRow, request: Request): Promise<Response> {
  const { after } = readQuery(request, StreamQuery);
  const header = request.headers.get("last-event-id");
  if (header !== null && !/^\d{1,15}$/.test(header))
    throw new HttpError(400, "invalid_input", "Last-Event-ID: must be the number of an event.");
  await completeLog(deps, row);
  const from = header === null ? (after ?? 0) : Number(header);
  // A damaged event can be named only before the stream has begun.
  if (!deps.runs.get(row.id)) await deps.store.log.read(row.id, from, 1);
  return streamRun(deps, row, from, request.signal);
}

/** The whole log as JSON lines `{seq, at, data}`, in the form of the wire. */
export async function exportLog(deps: RunDeps, row: RunRow): Promise<Response> {
  await completeLog(deps, row);
  const lines = (await readWholeLog(deps, row.id)).map(
    ({ seq, at, data }) => `${JSON.stringify({ seq, at: new Date(at).toISOString(), data: redact(data) })}\n`,
  );
  return new Response(lines.join(""), {
    headers: { "Content-Type": "application/jsonl; charset=utf-8", "Cache-Control": "no-store" },
  });
}
