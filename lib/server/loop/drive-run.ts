import { chunksIn } from "@/lib/agent/chunks-in";
import { RunTrace } from "@/lib/agent/with-tracing";
import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import { openToolCalls } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ChatMessage, ToolCall } from "@/lib/protocol/message";
import { runLimits } from "@/lib/protocol/run-limits";
import { isMemoryFull, mayPass } from "@/lib/store/errors";
import type { AnswerChunk, RunRow } from "@/lib/store/types";
import { awaitPool } from "./await-pool";
import { brokenNotes, type Cut, cutShort, finishRun } from "./end-run";
import { executeRun } from "./execute-run";
import { hasIntent } from "./gateway-intent";
import type { LiveRun } from "./live-run";
import { asPerson, type RunDeps } from "./run-deps";
import { tracedModel } from "./run-provider";

/** Runs the loop to its end; whatever happens, the run gets its one result. */
export async function driveRun(
  begunWith: RunDeps,
  run: LiveRun,
  history: ChatMessage[],
  answers: AnswerChunk[],
): Promise<void> {
  const { row } = run;
  const deps = asPerson(begunWith, row.userId);
  const release = deps.pool.hold(row.userId);
  const trace = traceRun(deps, row);
  try {
    for (const chunk of [...run.copies, ...answers]) await run.write(chunk);
    await run.flush();
    const open = row.agent ? callsIn([...run.chain.past, ...run.copies]) : openToolCalls(history);
    await awaitServers(deps, open, run.abort.signal);
    const stream = await executeRun(deps, run, history, trace);
    // A program that calls tools of its own is told all of their arguments, which its model's adapter bounds.
    const limited = limitPieces(row.options.program?.tools ? runLimits.chat.argumentCharacters : maxWritten);
    for await (const step of stream)
      for (const chunk of chunksIn(step)) {
        if (chunk.type !== "result") {
          const kept = limited(chunk);
          const written = kept && run.write(kept);
          if (written) await written;
        } else {
          if (run.isLost) return;
          // What nobody waits for is written with the end.
          if (!hasIntent(row)) await run.flush();
          trace?.end(chunk.result);
          await run.wire?.settled();
          await finishRun(deps, run, chunk.result);
        }
      }
  } catch (cause) {
    if (run.isLost) return;
    deps.log.error({ err: cause, runId: run.row.id }, "a run broke");
    // What is still on its way counts, what cannot be stored does not.
    await run.flush().catch(() => {});
    const { result, added } = cutShort(row, history, run.known, run.chain, broken(cause));
    trace?.end(result);
    await finishRun(deps, run, result, added).catch((err) =>
      deps.log.error({ err, runId: run.row.id }, "the end of a run was not stored; recovery will mark it"),
    );
  } finally {
    release();
  }
}

function traceRun({ tracing }: RunDeps, { id, model, conversationId }: RunRow): RunTrace | undefined {
  if (!tracing) return undefined;
  return new RunTrace(tracing.tracer, { ...tracedModel(model), conversationId, runId: id }, tracing.caller());
}

/** Calls that the log of a workflow holds, answered or not. */
const callsIn = (log: readonly StepChunk[]) =>
  log.flatMap((chunk) => (chunk.type === "tool_call" ? chunk.call : []));

/** An approved call must not be answered "unknown tool". */
async function awaitServers(
  { pool }: RunDeps,
  calls: readonly ToolCall[],
  signal: AbortSignal,
): Promise<void> {
  const names = new Set(calls.flatMap(({ server }) => server ?? []));
  await awaitPool(pool, () => [...names].some((name) => pool.statusOf(name) === "connecting"), signal);
}

/** The end of a run whose log could not be written, or in which something broke: only what is in the log is kept. */
const broken = (cause: unknown): Cut => ({
  stopReason: "error",
  notes: brokenNotes,
  error: errorOf(cause),
});

function errorOf(cause: unknown): NonNullable<Cut["error"]> {
  if (isMemoryFull(cause))
    return {
      code: "temporary_full",
      message:
        "All temporary chats may take 20 MB of memory together, and what came next did not fit: delete a temporary chat, then continue.",
    };
  if (mayPass(cause))
    return {
      code: "not_stored",
      message:
        "What came next could not be stored: free some space on the disk of the database, or close the program that locks it, then continue.",
    };
  return { code: "internal", message: "Something went wrong on our side; the log says more." };
}

/** Characters of one call's arguments that are told while they are written; the call itself comes whole. */
const maxWritten = 65_536;

/**
 * Gives the chunk that goes into the log, or nothing in place of arguments beyond what anybody reads along. Not in the
 * adapter: to the time-outs each piece is a sign of life.
 */
function limitPieces(most: number): <C extends Chunk>(chunk: C) => C | undefined {
  const written = new Map<ToolCallId, number>();
  return (chunk) => {
    if (chunk.type === "tool_call") written.delete(chunk.call.id);
    if (chunk.type !== "tool_input") return chunk;
    const before = written.get(chunk.id) ?? 0;
    const after = before + chunk.content.length;
    written.set(chunk.id, after);
    if (after <= most) return chunk;
    return before < most ? { ...chunk, content: chunk.content.slice(0, most - before) } : undefined;
  };
}
