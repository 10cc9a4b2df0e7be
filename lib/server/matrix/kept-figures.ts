import { createHash } from "node:crypto";
import { canonicalJson } from "@/lib/protocol/canonical-json";
import type { Usage } from "@/lib/protocol/usage";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import { readCompared } from "@/lib/server/runs/read-compared";
import type { RunRow } from "@/lib/store/types";

/** What a matrix tells of one answer. */
export interface AnswerFigures {
  question: string;
  usage: Usage;
  cost: number | null;
  latencyMs: number;
  loops: number;
  calls: number;
  /** Calls that were made. */
  sent: number;
  error: { code: string; message: string } | null;
  /** Equal for answers with the same calls, and for those with the same last words. */
  callsKey: string;
  answerKey: string;
}

/** Answers; each is some hundred bytes. */
const maxKept = 500;

/** Figures of answers by their newest run and its status: what has ended or waits does not change, so its logs are read once. */
export class KeptFigures {
  private readonly kept = new Map<string, AnswerFigures>();

  /** `last`: the newest run of the answer that `row` is of. */
  async of(deps: RunDeps, row: RunRow, last: RunRow): Promise<AnswerFigures> {
    const key = `${last.id} ${last.status}`;
    const known = this.kept.get(key);
    if (known) return known;
    const figures = await readFigures(deps, row);
    if (last.status === "running" || deps.runs.get(last.id)) return figures;
    this.kept.set(key, figures);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= maxKept) break;
      this.kept.delete(oldest);
    }
    return figures;
  }
}

async function readFigures(deps: RunDeps, row: RunRow): Promise<AnswerFigures> {
  const { told, turns } = await readCompared(deps, row);
  const calls = turns.flatMap((turn) => turn.calls);
  const { question, usage, cost, latencyMs, error } = told;
  return {
    ...{ question, usage, cost, latencyMs, error, loops: turns.length, calls: calls.length },
    sent: calls.filter(({ sent }) => sent).length,
    callsKey: digest(calls.map(({ name, args }) => canonicalJson([name, args])).join("\n")),
    answerKey: digest(turns.at(-1)?.text ?? ""),
  };
}

const digest = (text: string): string => createHash("sha256").update(text).digest("base64");
