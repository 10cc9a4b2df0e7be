import { redact } from "@/lib/protocol/redact";
import { StreamQuery } from "@/lib/server/contract/chat";
import { readQuery } from "@/lib/server/http/body";
import { HttpError } from "@/lib/server/http/errors";
import { feedResponse } from "@/lib/server/http/event-feed";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { completeLog, readWholeLog } from "@/lib/server/loop/stored-run";
import type { RunRow } from "@/lib/store/types";
import { JoinedFeed } from "./joined-feed";
import { findRun } from "./run-item";
import { RunReader } from "./run-reader";

/** The events of a run after `afterSeq`, as text/event-stream. Ending it never touches the run. */
export const streamRun = (
  deps: RunDeps,
  row: RunRow,
  afterSeq: number,
  request: Pick<Request, "headers" | "signal">,
): Response => feedResponse(request, new RunReader(deps, row, afterSeq), { "X-Run-Id": row.id });

/** Like `streamRun`, after the `Last-Event-ID` header or `?after=`; `?with=` adds other runs to the same connection. */
export async function streamRunFrom(deps: RunDeps, row: RunRow, request: Request): Promise<Response> {
  const { after, with: others } = readQuery(request, StreamQuery);
  const header = request.headers.get("last-event-id");
  if (header !== null && !/^\d{1,15}$/.test(header))
    throw new HttpError(400, "invalid_input", "Last-Event-ID: must be the number of an event.");
  const from = header === null ? (after ?? 0) : Number(header);
  await checkLog(deps, row, from);
  if (!others) return streamRun(deps, row, from, request);
  if (new Set([row.id, ...others.map(({ id }) => id)]).size <= others.length)
    throw new HttpError(400, "invalid_input", "with: must name other runs, each once.");
  const feeds = new Map([[row.id, new RunReader(deps, row, from)]]);
  for (const { id, after } of others) {
    const other = await findRun(deps, row.userId, id);
    await checkLog(deps, other, after);
    feeds.set(id, new RunReader(deps, other, after));
  }
  return feedResponse(request, new JoinedFeed(feeds), { "X-Run-Id": row.id });
}

/** A damaged event can be named only before the stream has begun. */
async function checkLog(deps: RunDeps, row: RunRow, from: number): Promise<void> {
  await completeLog(deps, row);
  if (!deps.runs.get(row.id)) await deps.store.log.read(row.id, from, 1);
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
