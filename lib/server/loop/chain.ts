import type { Logger } from "pino";
import { BudgetUsage } from "@/lib/agent/budget-usage";
import { RunPlan } from "@/lib/agent/run-plan";
import { StepMode } from "@/lib/agent/step-mode";
import type { Chunk, StepChunk } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { type OpenCalls, openCalls } from "@/lib/protocol/open-calls";
import { meaningOf } from "@/lib/protocol/questions";
import { statusAfter } from "@/lib/protocol/run-status";
import type { Store } from "@/lib/store/ports";
import type { RunRow } from "@/lib/store/types";
import { readReadable, readWholeLog } from "./stored-run";

/** A chain longer than this is a fault; it ends the walk. */
const maxChain = 200;

/** What the logs of a run and of the runs it continues say; a run that continues nothing has an empty one. */
export interface Chain {
  /** Its first run; undefined where nothing is continued. */
  firstId: string | undefined;
  open: OpenCalls;
  allowed: AllowedTools;
  budgetUsage: BudgetUsage;
  steps: StepMode;
  plan: RunPlan;
  /** All that the logs hold but the ends. */
  past: StepChunk[];
  /** How long its runs have worked, ms; resuming after an end starts it from zero, as it does the turns. */
  workedMs: number;
}

interface ChainDeps {
  store: Pick<Store, "runs" | "log">;
  log: Pick<Logger, "error">;
}

/** `read`: how each log is read; by default one with a damaged line is refused. */
export async function readChain(
  deps: ChainDeps,
  row: RunRow | undefined,
  read: typeof readWholeLog | typeof readReadable = readWholeLog,
): Promise<Chain> {
  const rows: RunRow[] = [];
  for await (const each of backFrom(deps, row)) rows.unshift(each);
  const chunks: Chunk[] = [];
  const plan = new RunPlan();
  for (const { id, options, result, endedAt, status } of rows) {
    const from = chunks.length;
    for (const { data } of await read(deps, id)) if (!options.isImported || !isWord(data)) chunks.push(data);
    // A crash between record and log left it out.
    if (result && endedAt !== null && chunks.at(-1)?.type !== "result")
      chunks.push({ type: "result", result: { finalText: "", ...result, historyDelta: [] }, at: endedAt });
    for (const chunk of chunks.slice(from)) plan.add(chunk);
    // Who stops an answer wants nothing to happen by itself, also when it is resumed. While it waited no log says it.
    if (status === "stopped") plan.end();
  }
  const past = chunks.filter((chunk) => chunk.type !== "result");
  return {
    firstId: rows[0]?.id,
    open: openCalls(chunks.filter(isKnown)),
    allowed: new AllowedTools(chunks),
    budgetUsage: new BudgetUsage(chunks),
    steps: new StepMode(chunks),
    plan,
    past,
    workedMs: workedMs(chunks),
  };
}

/** All that the logs of the runs hold which a run continues, without its own. */
export async function readPast(
  deps: ChainDeps,
  { userId, continues }: RunRow,
  read: typeof readWholeLog | typeof readReadable = readWholeLog,
): Promise<StepChunk[]> {
  const before = continues === null ? undefined : await deps.store.runs.get(userId, continues);
  return (await readChain(deps, before, read)).past;
}

/**
 * What the logs of a run and of those it continues say of some calls. They are read back to where each call was asked for
 * or sent: read whole, the runs of a long chain that are shown together would read each log once for each of them.
 */
export async function readCallsBefore(
  deps: ChainDeps,
  row: RunRow | undefined,
  calls: readonly ToolCallId[],
): Promise<OpenCalls> {
  const sought = new Set(calls);
  const logs: Chunk[][] = [];
  for await (const { id } of backFrom(deps, row)) {
    const log = (await readReadable(deps, id)).map(({ data }) => data);
    logs.unshift(log);
    for (const chunk of log)
      if (chunk.type === "tool_call") sought.delete(chunk.call.id);
      else if (chunk.type === "tool_start") sought.delete(chunk.id);
    if (sought.size === 0) break;
  }
  return openCalls(logs.flat().filter(isKnown));
}

/** A run and those it continues, the newest first. */
async function* backFrom(deps: ChainDeps, row: RunRow | undefined): AsyncGenerator<RunRow, void> {
  for (let at = row, left = maxChain; at && left > 0; left--) {
    yield at;
    at = at.continues ? await deps.store.runs.get(at.userId, at.continues) : undefined;
  }
}

/** What a person was asked and has said, and what takes a call up again: in the log of a file anybody may have written it. */
const isWord = ({ type }: Chunk): boolean =>
  type === "answer" || type === "tool_state" || type.endsWith("_request");

/** "Outcome unknown" answers a call in the history; to the log it was sent and never came back. */
const isKnown = (chunk: Chunk): boolean => chunk.type !== "tool_result" || chunk.result.status !== "unknown";

/** A run that waits for a person has ended, so the time between two runs does not count. */
function workedMs(chunks: Iterable<Chunk>): number {
  let worked = 0;
  let since: number | undefined;
  for (const chunk of chunks) {
    since ??= chunk.at;
    if (chunk.type !== "result") continue;
    const isWaiting = statusAfter(chunk.result.stopReason) === "waiting";
    worked = isWaiting ? worked + Math.max(0, (chunk.at ?? 0) - (since ?? 0)) : 0;
    since = undefined;
  }
  return worked;
}

/** Qualified names of tools that a person has allowed for the rest of a chain of runs; a fold of its logs. */
class AllowedTools {
  private readonly asked = new Map<string, string>();
  private readonly names = new Set<string>();

  constructor(chunks: Iterable<Chunk> = []) {
    for (const chunk of chunks) this.add(chunk);
  }

  add(chunk: Chunk): void {
    if (chunk.type === "approval_request") this.asked.set(chunk.requestId, chunk.call.name);
    if (chunk.type !== "answer") return;
    const meaning = meaningOf(chunk.answer);
    if (meaning?.effect !== "run" || meaning.covers !== "run") return;
    const name = this.asked.get(chunk.requestId);
    if (name) this.names.add(name);
  }

  has(name: string): boolean {
    return this.names.has(name);
  }
}
