import type { Chunk } from "./chunk";
import { callsIn } from "./history";
import type { ChatMessage } from "./message";
import { Transcript } from "./transcript";

/** A place in a log from which a run can be forked: the end of a model's turn, or of a whole round of calls. */
export interface ForkStep {
  kind: "turn" | "round";
  /** Path of its agent in a workflow. */
  agent?: string;
  /** The model has ended its answer here. */
  isEnd: boolean;
  /** What the log has added to the history by then; in a workflow all that this agent has said. */
  delta: ChatMessage[];
}

/** The steps round an event that is none. */
export interface NearestSteps {
  before: number | null;
  after: number | null;
}

/** The step that the event `seq` of a log ends. `base` is the history that the run began with; the log begins with event 1. */
export function findStep(
  base: readonly ChatMessage[],
  log: readonly Chunk[],
  seq: number,
): ForkStep | NearestSteps {
  const record = new Transcript(base);
  return searchStep(log, seq, ({ agent }) => (agent === undefined ? record : undefined));
}

/**
 * The same of a workflow, whose agents each have steps of their own: those that `canFork` says of their path. `past`: what they
 * said in the runs that this one continues.
 */
export function findAgentStep(
  log: readonly Chunk[],
  seq: number,
  { past, canFork }: { past: readonly Chunk[]; canFork: (path: string) => boolean },
): ForkStep | NearestSteps {
  const records = new Map<string, Transcript>();
  const recordOf = ({ agent }: Chunk) => {
    if (agent === undefined) return undefined;
    const record = records.get(agent) ?? (canFork(agent) ? new Transcript([], [], agent, "drop") : undefined);
    if (record) records.set(agent, record);
    return record;
  };
  for (const chunk of past) recordOf(chunk)?.add(chunk);
  return searchStep(log, seq, recordOf);
}

function searchStep(
  log: readonly Chunk[],
  seq: number,
  recordOf: (chunk: Chunk) => Transcript | undefined,
): ForkStep | NearestSteps {
  let before: number | null = null;
  for (const [at, chunk] of log.entries()) {
    const record = recordOf(chunk);
    record?.add(chunk);
    const kind = record && kindOfStep(chunk, record);
    if (!kind) continue;
    const end = at + 1;
    const { delta, agent } = record;
    if (end === seq)
      return { kind, isEnd: endsAnswer(chunk, delta), delta, ...(agent !== undefined && { agent }) };
    if (end > seq) return { before, after: end };
    before = end;
  }
  return { before, after: null };
}

function kindOfStep(chunk: Chunk, record: Transcript): ForkStep["kind"] | undefined {
  if (chunk.type === "usage" && chunk.stopReason) return "turn";
  return chunk.type === "tool_result" && !record.hasOpenCalls ? "round" : undefined;
}

/** A turn that was cut off at its limit of tokens can be gone on from. */
function endsAnswer(chunk: Chunk, delta: readonly ChatMessage[]): boolean {
  const isCut = chunk.type !== "usage" || chunk.stopReason === "max_tokens";
  const last = delta.at(-1);
  return !isCut && last?.role === "assistant" && callsIn(last).length === 0;
}
