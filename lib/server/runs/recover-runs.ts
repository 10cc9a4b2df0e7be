import type { Chunk } from "@/lib/protocol/chunk";
import type { RunRow } from "@/lib/store/types";
import { readChain } from "./chain";
import { cutShort, stoppedNotes } from "./cut-short";
import { storeEnd } from "./finish-run";
import type { RunDeps } from "./run-deps";
import { readReadable } from "./whole-log";

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
  const { rows } = await deps.store.messages.branch(row.conversationId, row.parentId);
  const base = rows.map(({ message }) => message);
  const { result, added } = cutShort(row, base, chunks, await readChain(deps, row), {
    stopReason: "interrupted",
    notes: stoppedNotes,
  });
  await storeEnd(deps, row, [...chunks, ...added], result);
  const at = Date.now();
  const missing: Chunk[] = [...added, { type: "result", result }];
  const seq = await deps.store.log.lastSeq(row.id);
  const lines = missing.map((data, index) => ({ seq: seq + 1 + index, at, data: { ...data, at } }));
  await deps.store.log.append(row.id, lines, true);
}
