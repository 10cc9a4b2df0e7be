import type { Chunk } from "@/lib/protocol/chunk";
import type { RunComparison } from "@/lib/protocol/run-comparison";
import { type ComparedTurn, turnsOf } from "@/lib/protocol/turns-of-log";
import { addUsage, type Usage } from "@/lib/protocol/usage";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readAnswerOf, readCopies } from "@/lib/server/loop/run-tape";
import { readReadable } from "@/lib/server/loop/stored-run";
import type { RunRow } from "@/lib/store/types";
import { questionOf } from "./run-item";

export interface ComparedAnswer {
  /** The id of its first run. */
  first: string;
  turns: ComparedTurn[];
  told: RunComparison["runs"][number];
}

/** The whole answer that a run is of, from the logs of all its runs. */
export async function readCompared(deps: RunDeps, row: RunRow): Promise<ComparedAnswer> {
  const runs = await readAnswerOf(deps, row);
  const [first = row] = runs;
  const last = runs.at(-1) ?? row;
  const log: Chunk[] = await readCopies(deps, first);
  for (const { id } of runs)
    for (const chunk of deps.runs.get(id)?.chunks ?? (await readReadable(deps, id)).map(({ data }) => data))
      log.push(chunk);
  const usage: Usage = { inputTokens: 0, outputTokens: 0 };
  for (const chunk of log) if (chunk.type === "usage") addUsage(usage, chunk);
  const turns = turnsOf(log);
  const { tape } = first.options;
  return {
    first: first.id,
    turns,
    told: {
      ...{ id: row.id, conversationId: row.conversationId, messageId: row.messageId },
      ...{ question: await questionOf(deps, row), model: last.model, status: last.status },
      startedAt: new Date(first.startedAt).toISOString(),
      ...{ usage, cost: usage.cost ?? null, latencyMs: workedMs(runs), turns: turns.length },
      calls: turns.reduce((sum, turn) => sum + turn.calls.length, 0),
      error: last.result?.error ?? null,
      ...(tape && { rerunOf: { runId: tape.runId, tape: tape.misses } }),
    },
  };
}

/** Waiting for a person is between two runs. */
const workedMs = (runs: readonly RunRow[]): number =>
  runs.reduce((sum, { startedAt, endedAt }) => sum + Math.max(0, (endedAt ?? Date.now()) - startedAt), 0);
