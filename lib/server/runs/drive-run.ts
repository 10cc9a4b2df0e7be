import type { Chunk } from "@/lib/protocol/chunk";
import { openToolCalls } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage } from "@/lib/protocol/message";
import type { AnswerChunk, RunRow } from "@/lib/store/types";
import { brokenNotes, type Cut, cutShort } from "./cut-short";
import { mayPass } from "./end-retry";
import { awaitServers, callsIn, executeRun, traceRun } from "./execute-run";
import { finishRun } from "./finish-run";
import type { LiveRun } from "./live-run";
import type { RunDeps } from "./run-deps";

/** Runs the loop to its end; whatever happens, the run gets its one result. */
export async function driveRun(
  deps: RunDeps,
  run: LiveRun,
  history: ChatMessage[],
  answers: AnswerChunk[],
): Promise<void> {
  const { row } = run;
  const trace = traceRun(deps, row);
  try {
    for (const answer of answers) await run.write(answer);
    const open = row.agent ? callsIn(run.chain.past) : openToolCalls(history);
    await awaitServers(deps, open, run.abort.signal);
    const stream = await executeRun(deps, run, history, trace);
    const limited = limitPieces();
    for await (const chunk of tellMissing(deps, row, stream)) {
      if (chunk.type !== "result") {
        const kept = limited(chunk);
        if (kept) await run.write(kept);
      } else {
        trace?.end(chunk.result);
        await finishRun(deps, run, chunk.result);
      }
    }
  } catch (cause) {
    deps.log.error({ err: cause, runId: run.row.id }, "a run broke");
    const { result, added } = cutShort(row, history, run.chunks, run.chain, broken(cause));
    trace?.end(result);
    await finishRun(deps, run, result, added).catch((err) =>
      deps.log.error({ err, runId: run.row.id }, "the end of a run was not stored; recovery will mark it"),
    );
  }
}

/** The end of a run whose log could not be written, or in which something broke: only what is in the log is kept. */
const broken = (cause: unknown): Cut => ({
  stopReason: "error",
  notes: brokenNotes,
  error: mayPass(cause)
    ? {
        code: "not_stored",
        message:
          "What came next could not be stored: free some space on the disk of the database, or close the program that locks it, then continue.",
      }
    : { code: "internal", message: "Something went wrong on our side; the log says more." },
});

const maxNamed = 10;

/** Servers that were chosen and are not configured any more: told of once, in the first loop. The answer goes without them. */
function tellMissing(
  { pool }: RunDeps,
  { options, continues }: RunRow,
  stream: AsyncIterable<Chunk>,
): AsyncIterable<Chunk> {
  const missing = continues === null ? (options.servers?.filter((name) => !pool.server(name)) ?? []) : [];
  return missing.length > 0 ? afterIteration(stream, words(missing)) : stream;
}

async function* afterIteration(stream: AsyncIterable<Chunk>, message: string): AsyncGenerator<Chunk, void> {
  let isTold = false;
  for await (const chunk of stream) {
    yield chunk;
    if (chunk.type !== "iteration" || isTold) continue;
    isTold = true;
    yield { type: "notice", kind: "server", message, ...(chunk.agent && { agent: chunk.agent }) };
  }
}

function words(missing: readonly string[]): string {
  const named = [...missing.slice(0, maxNamed), ...(missing.length > maxNamed ? ["…"] : [])];
  return `Removed from the settings, so not used in this answer: ${named.join(", ")}.`;
}

/** Characters of one call's arguments that are told while they are written; the call itself comes whole. */
const maxWritten = 65_536;

/**
 * Gives the chunk that goes into the log, or nothing in place of arguments beyond what anybody reads along. Not in the
 * adapter: to the time-outs each piece is a sign of life.
 */
function limitPieces(): <C extends Chunk>(chunk: C) => C | undefined {
  const written = new Map<ToolCallId, number>();
  return (chunk) => {
    if (chunk.type === "tool_call") written.delete(chunk.call.id);
    if (chunk.type !== "tool_input") return chunk;
    const before = written.get(chunk.id) ?? 0;
    const after = before + chunk.content.length;
    written.set(chunk.id, after);
    if (after <= maxWritten) return chunk;
    return before < maxWritten
      ? { ...chunk, content: chunk.content.slice(0, maxWritten - before) }
      : undefined;
  };
}
