import { endedSteps } from "@/lib/agent/workflows/ended-steps";
import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import { lastText, notRun, openToolCalls } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolResult } from "@/lib/protocol/message";
import { statusAfter } from "@/lib/protocol/run-status";
import { timeline } from "@/lib/protocol/timeline";
import { Transcript } from "@/lib/protocol/transcript";
import { newMessage } from "@/lib/server/new-rows";
import type { MessageRow, RunRow } from "@/lib/store/types";
import type { Chain } from "./chain";
import { hasIntent } from "./gateway-intent";
import type { LiveRun } from "./live-run";
import { awaitedBy } from "./live-runs";
import type { RunDeps } from "./run-deps";
import { isSaid } from "./steering";

/**
 * Stores how a live run ended, then tells its readers: the record is the truth, the log may lack its last line. While the
 * store refuses, it is tried again. `added` is what the record has and the log lacks.
 */
export async function finishRun(
  deps: RunDeps,
  run: LiveRun,
  result: AgenticLoopResult,
  added: readonly Chunk[] = [],
): Promise<void> {
  run.end();
  // One time for both, or the page would show another total after a reload.
  const at = Date.now();
  const chunks = [...run.known, ...added];
  const onFault = (err: unknown) =>
    deps.log.error({ err, runId: run.row.id }, "the end of a run is not stored yet; it is tried again");
  const isHeld =
    [...run.chain.open.keys()].some((id) => deps.inFlight.has(id)) ||
    awaitedBy(deps.runs, run.row) !== undefined;
  await run.retry.untilStored(() => storeEnd(deps, run.row, chunks, result, { at, isHeld }), onFault);
  if (run.row.options.gateway) run.noteEnd(result);
  const missing = [...added, { type: "result" as const, result }].map((chunk): Chunk => ({ ...chunk, at }));
  if (hasIntent(run.row)) await run.retry.untilStored(() => run.writeEnd(missing), onFault);
  else for (const chunk of missing) await run.retry.untilStored(async () => run.write(chunk), onFault);
  run.endedAs = statusAfter(result.stopReason);
}

/** Status, messages and timeline of an ended run in one transaction. With `isHeld` a call of it goes on in this process. */
export async function storeEnd(
  deps: Pick<RunDeps, "store">,
  row: RunRow,
  chunks: readonly Chunk[],
  result: AgenticLoopResult,
  { at = Date.now(), isHeld = false }: { at?: number; isHeld?: boolean } = {},
): Promise<void> {
  const { historyDelta, finalText, ...rest } = result;
  const end = {
    status: statusAfter(result.stopReason),
    endedAt: at,
    ...(isHeld && { isHeld }),
    result: { ...rest, ...(finalText !== lastText(historyDelta) && { finalText }) },
    iterations: timeline(chunks),
  };
  await deps.store.runs.finish(row.id, end, toRows(row, historyDelta, chunks));
}

/** Why a loop gave no result. */
export interface Cut extends Pick<AgenticLoopResult, "stopReason" | "error"> {
  notes: CutNotes;
  /** A part of the log cannot be read: any open call may have been sent. */
  isDamaged?: boolean;
}

/** What the model reads of a call that was not sent, and of one that was. */
interface CutNotes {
  notRun: string;
  unknown: string;
}

export const stoppedNotes: CutNotes = {
  notRun: "Not run: the server stopped before it was sent.",
  unknown: "Sent, then the server stopped before an answer came.",
};

export const brokenNotes: CutNotes = {
  notRun: "Not run: something went wrong on our side before it was sent.",
  unknown: "Sent, then something went wrong on our side before an answer came.",
};

/**
 * The end of a run whose loop has given none: what its log holds, and a result for each call that is still open. These
 * are missing in the log (`added`). `base` is the history that the run began with; `open` says what its own log does as well, `past` only
 * what those before it do.
 */
export function cutShort(
  row: RunRow,
  base: readonly ChatMessage[],
  chunks: readonly Chunk[],
  { open, past }: Pick<Chain, "open" | "past">,
  { notes, isDamaged = false, ...end }: Cut,
): { result: AgenticLoopResult; added: Chunk[] } {
  const fold = new Transcript(base);
  for (const chunk of chunks) fold.add(chunk);
  // What a workflow adds to the history are whole steps.
  const workflow = row.agent ? endedSteps(chunks, past) : undefined;
  const added = workflow
    ? []
    : openToolCalls(fold.close().history()).map(({ id }): Chunk => {
        // It may have been sent by a run that this one continues.
        const result: ToolResult =
          isDamaged || open.get(id)?.sent ? unknownOutcome(id, notes.unknown) : notRun(id, notes.notRun);
        return { type: "tool_result", result: { ...result, reason: "cut_short" }, durationMs: 0 };
      });
  for (const chunk of added) fold.add(chunk);
  const { usage } = fold.close();
  const historyDelta = workflow?.delta ?? fold.delta;
  const used = chunks.findLast((chunk) => chunk.type === "iteration");
  const result: AgenticLoopResult = {
    stopReason: end.stopReason,
    historyDelta,
    finalText: lastText(historyDelta),
    iterationsUsed: used?.type === "iteration" ? used.index : (row.options.iterationsUsed ?? 0),
    timedOut: false,
    usage,
    ...(workflow && { steps: workflow.steps }),
    ...(end.error && { error: end.error }),
  };
  return { result, added };
}

export const unknownOutcome = (id: ToolCallId, text: string): ToolResult => ({
  ...{ id, status: "unknown", content: [{ type: "text", text }] },
});

/** The delta as messages, each hanging on the one before; what people said meanwhile keeps its id. */
function toRows(
  { id: runId, conversationId, parentId: first, model }: RunRow,
  historyDelta: readonly ChatMessage[],
  chunks: readonly Chunk[],
): MessageRow[] {
  const createdAt = Date.now();
  const isSteered = historyDelta.some(({ role }) => role === "user");
  const said = isSteered ? chunks.filter(isSaid).filter(({ agent }) => agent === undefined) : [];
  let parentId = first;
  return historyDelta.map((message) => {
    const id = message.role === "user" ? said.shift()?.id : undefined;
    const row = newMessage({ conversationId, parentId }, message, {
      runId,
      model,
      createdAt,
      ...(id && { id }),
    });
    parentId = row.id;
    return row;
  });
}
