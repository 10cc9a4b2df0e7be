import type { Chunk } from "@/lib/protocol/chunk";
import { redact } from "@/lib/protocol/redact";
import { encodeEvent, heartbeat } from "@/lib/protocol/sse";
import { StreamQuery } from "@/lib/server/contract/chat";
import { readQuery } from "@/lib/server/http/body";
import { HttpError } from "@/lib/server/http/errors";
import { changeOrHeartbeat, eventResponse } from "@/lib/server/http/event-stream";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { type Frame, toFrame } from "@/lib/server/loop/run-tail";
import { completeLog, readWholeLog } from "@/lib/server/loop/stored-run";
import type { RunRow } from "@/lib/store/types";

/** What one pull hands over at most; with the stream's own queue a reader that reads nothing holds about twice that. */
const maxBatchChars = 64_000;
const pageSize = 256;
/** Events that wait for a reader of a live run; from then on it is given pieces of text together. */
const manyWaiting = 32;
/** Characters of one merged piece, so that a reader sees the answer grow. */
const maxPiece = 16_000;

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
  const end = deps.runs.get(row.id)?.tail.lastSeq ?? (await deps.store.log.lastSeq(row.id));
  if (afterSeq > end) {
    seq = 0;
    opening = opened(row, 0) + encodeEvent({ event: "reset" });
  }
  yield opening;
  while (!signal.aborted) {
    const tail = deps.runs.get(row.id)?.tail;
    // Taken before the look at the tail, so that nothing slips between the look and the wait.
    const change = tail?.next();
    const done = tail === undefined || tail.isClosed;
    const batch = tail?.framesAfter(seq) ?? (await readLog(deps, row.id, seq));
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

/**
 * Pieces of text, or of a call's arguments, that follow each other, as one event under the number of the last; `from` is
 * the number of the first. For a reader that has fallen behind: it catches up with a fraction of the events.
 */
export function mergePieces(frames: readonly Frame[]): Frame[] {
  const merged: Frame[] = [];
  let run: Frame[] = [];
  let length = 0;
  const flush = () => {
    const [first, last] = [run[0], run.at(-1)];
    if (first && last) merged.push(first === last ? first : joined(first, last, run));
    run = [];
    length = 0;
  };
  for (const frame of frames) {
    const { chunk } = frame;
    const size = isPiece(chunk) ? chunk.content.length : 0;
    if (run[0] && (!continues(run[0].chunk, chunk) || length + size > maxPiece)) flush();
    if (!isPiece(chunk)) merged.push(frame);
    else {
      run.push(frame);
      length += size;
    }
  }
  flush();
  return merged;
}

type Piece = Extract<Chunk, { type: "text" | "reasoning" | "tool_input" }>;

const isPiece = (chunk: Chunk): chunk is Piece =>
  chunk.type === "tool_input" ||
  ((chunk.type === "text" || chunk.type === "reasoning") &&
    chunk.signature === undefined &&
    !("format" in chunk));

/** Only pieces without a time: the writer stamps every other chunk. */
const continues = (first: Chunk, next: Chunk): boolean =>
  isPiece(next) &&
  next.at === undefined &&
  next.type === first.type &&
  next.agent === first.agent &&
  (next.type !== "tool_input" || first.type !== "tool_input" || next.id === first.id);

function joined({ seq: from, chunk }: Frame, { seq }: Frame, pieces: readonly Frame[]): Frame {
  const content = pieces.map((frame) => (isPiece(frame.chunk) ? frame.chunk.content : "")).join("");
  return toFrame({ seq, data: { ...(chunk as Piece), content } }, from);
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
