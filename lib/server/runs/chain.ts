import { Spent } from "@/lib/agent/spent";
import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";
import type { RunRow } from "@/lib/store/types";
import { AllowedTools } from "./allowed-tools";
import type { RunDeps } from "./run-deps";
import { readWholeLog } from "./whole-log";

/** A chain longer than this is a fault; it ends the walk. */
const maxChain = 200;

/** What the logs of a run and of the runs it continues say; a run that continues nothing has an empty one. */
export interface Chain {
  open: OpenCalls;
  allowed: AllowedTools;
  spent: Spent;
  /** All that the logs hold but the ends. */
  past: StepChunk[];
}

export async function readChain(deps: RunDeps, row: RunRow | undefined): Promise<Chain> {
  const rows: RunRow[] = [];
  for (let at = row; at && rows.length < maxChain; ) {
    rows.unshift(at);
    at = at.continues ? await deps.store.runs.get(at.userId, at.continues) : undefined;
  }
  const chunks: Chunk[] = [];
  for (const { id } of rows) for (const { data } of await readWholeLog(deps, id)) chunks.push(data);
  // "Outcome unknown" answers a call in the history; to the log it was sent and never came back.
  const known = chunks.filter((chunk) => chunk.type !== "tool_result" || chunk.result.status !== "unknown");
  const past = chunks.filter((chunk) => chunk.type !== "result");
  return { open: openCalls(known), allowed: new AllowedTools(chunks), spent: new Spent(chunks), past };
}
