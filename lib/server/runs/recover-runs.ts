import { endedSteps } from "@/lib/agent/workflows/ended-steps";
import type { AgenticLoopResult, Chunk } from "@/lib/protocol/chunk";
import { lastText, notRun, openToolCalls } from "@/lib/protocol/history";
import type { ToolResult } from "@/lib/protocol/message";
import { Transcript } from "@/lib/protocol/transcript";
import type { RunRow } from "@/lib/store/types";
import { readChain } from "./chain";
import { storeEnd } from "./finish-run";
import type { RunDeps } from "./run-deps";
import { readReadable } from "./whole-log";

/** What the model reads of a call that a crash kept from being sent. */
export const notRunNote = "Not run: the server stopped before it was sent.";

/**
 * Gives every run that a crash cut short its one result, `interrupted`, with what its log holds. Calls that were sent
 * are "outcome unknown". Called at the start, before anything new runs.
 */
export async function recoverRuns(deps: RunDeps): Promise<number> {
  const rows = await deps.store.runs.withStatus("running");
  for (const row of rows) {
    // One that cannot be mended must keep nobody from starting.
    await recoverRun(deps, row).catch((err) =>
      deps.log.error({ err, runId: row.id }, "a run was not recovered"),
    );
  }
  return rows.length;
}

async function recoverRun(deps: RunDeps, row: RunRow): Promise<void> {
  const chunks = (await readReadable(deps, row.id)).map(({ data }) => data);
  const last = chunks.at(-1);
  if (last?.type === "result") return storeEnd(deps, row, chunks, last.result);
  const { result, added } = await interrupt(deps, row, chunks);
  await storeEnd(deps, row, [...chunks, ...added], result);
  const at = Date.now();
  const missing: Chunk[] = [...added, { type: "result", result }];
  const seq = await deps.store.log.lastSeq(row.id);
  const lines = missing.map((data, index) => ({ seq: seq + 1 + index, at, data: { ...data, at } }));
  await deps.store.log.append(row.id, lines, true);
}

async function interrupt(
  deps: RunDeps,
  row: RunRow,
  chunks: readonly Chunk[],
): Promise<{ result: AgenticLoopResult; added: Chunk[] }> {
  const { rows } = await deps.store.messages.branch(row.conversationId, row.parentId);
  const fold = new Transcript(rows.map(({ message }) => message));
  for (const chunk of chunks) fold.add(chunk);
  // A call may have been sent by a run that this one continues.
  const { open, past } = await readChain(deps, row);
  const workflow = row.agent ? endedSteps(chunks, past) : undefined;
  const added = workflow
    ? []
    : openToolCalls(fold.closed().history()).map(({ id }): Chunk => {
        const result = open.get(id)?.sent ? unknown(id) : notRun(id, notRunNote);
        return { type: "tool_result", result, durationMs: 0 };
      });
  for (const chunk of added) fold.add(chunk);
  const { usage } = fold.closed();
  const delta = workflow?.delta ?? fold.delta;
  const used = chunks.findLast((chunk) => chunk.type === "iteration");
  const result: AgenticLoopResult = {
    stopReason: "interrupted",
    historyDelta: delta,
    finalText: lastText(delta),
    iterationsUsed: used?.type === "iteration" ? used.index : (row.options.iterationsUsed ?? 0),
    timedOut: false,
    usage,
    ...(workflow && { steps: workflow.steps }),
  };
  return { result, added };
}

const unknown = (id: ToolResult["id"]): ToolResult => ({
  id,
  status: "unknown",
  content: [{ type: "text", text: "Sent, then the server stopped before an answer came." }],
});
