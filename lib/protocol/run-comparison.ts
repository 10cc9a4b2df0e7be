import type { RunItem, RunStatus } from "./http";
import type { ToolResult } from "./message";
import type { Usage } from "./usage";

/** A call as answers are compared by it. */
export interface ComparedCallItem {
  name: string;
  /** Empty where they are too long. */
  args: Record<string, unknown>;
  /** Characters of those that are too long. */
  argsLength?: number;
  status: ToolResult["status"] | "open";
  /** Not sent: the result comes from a recording, or it did not run. */
  sent: boolean;
  /** The recording does not have it, and a person was asked. */
  missed?: true;
  durationMs: number | null;
}

export interface ComparedCell {
  text: string;
  /** Characters of a text that is cut. */
  textLength?: number;
  calls: ComparedCallItem[];
  usage: Usage;
}

/** An answer with all its runs, by the id that was asked for. */
export interface ComparedRun {
  id: string;
  conversationId: string;
  messageId: string;
  question: string;
  model: string;
  status: RunStatus;
  startedAt: string;
  usage: Usage;
  cost: number | null;
  /** Without the time that it waited for a person. */
  latencyMs: number;
  turns: number;
  calls: number;
  error: RunItem["error"];
  rerunOf?: NonNullable<RunItem["rerunOf"]>;
}

/** `GET /api/runs/compare?ids=`: a row a turn, a cell an answer, null where that has ended before. */
export interface RunComparison {
  runs: ComparedRun[];
  rows: { turn: number; cells: (ComparedCell | null)[] }[];
  /** Turns beyond the first 200. */
  omitted: number;
}
