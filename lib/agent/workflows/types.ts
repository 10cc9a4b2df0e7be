import type { LoopRequest } from "@/lib/agent/execute-with-tools-stream";
import type { AgenticLoopResult, LoopStopReason, StepChunk } from "@/lib/protocol/chunk";
import type { ChatMessage } from "@/lib/protocol/message";

/** What the agents of one run share. */
export interface WorkflowContext extends Omit<LoopRequest, "system" | "history" | "sent" | "iterationsUsed"> {
  /** Precedes the instruction of every agent that asks a model. */
  system: string;
  /** The conversation, and the messages of the steps that have ended. */
  history: ChatMessage[];
  /** Texts by key: what steps have put out under their `outputKey`. */
  state: Record<string, string>;
  /** Messages of the steps that ended in this run. */
  delta: ChatMessage[];
  /** The logs of the runs that this one continues: a step that ended there is not run again. */
  past: readonly StepChunk[];
  /** Those of them with which the log of this run begins: it is a fork, and what ended in them counts as ended here. */
  kept: ReadonlySet<StepChunk>;
}

/** How an agent ended. With `stop` the whole run ends; a later run continues it from the log. */
export interface AgentEnd {
  stop?: LoopStopReason;
  error?: AgenticLoopResult["error"];
  /** Leaves the innermost loop at once; names who wanted it. */
  escalate?: string;
}

/**
 * A part of a workflow. When a run is continued it runs again from its start, so besides its steps (`step`) it must be
 * deterministic in `context.state`. Every chunk carries the agent's path: `pipeline/refine.3/critic`.
 */
export interface Agent {
  /** Letters, digits, `_` and `-`: it is a part of paths. */
  name: string;
  run(context: WorkflowContext, path: string): AsyncGenerator<StepChunk, AgentEnd>;
}

/** What an agent did wrong, as a person reads it. */
export class AgentError extends Error {
  override name = "AgentError";
}

/** The agent at the end of a path with the round it is in: "critic (round 3)". */
export function agentInWords(path: string): string {
  const parts = path.split("/");
  const round = parts.map((part) => /\.(\d+)$/.exec(part)?.[1]).findLast(Boolean);
  const name = parts.at(-1)?.replace(/\.\d+$/, "") ?? path;
  return round ? `${name} (round ${round})` : name;
}
