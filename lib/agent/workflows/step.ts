import type { AgenticLoopResult, LoopStopReason, StepChunk } from "@/lib/protocol/chunk";
import type { ChatMessage } from "@/lib/protocol/message";
import { Transcript } from "@/lib/protocol/transcript";
import type { AgentEnd, WorkflowContext } from "./types";

/** How a piece of work ended: with what it put out, or because the run stops in its middle. */
export type StepEnd =
  | { stop: LoopStopReason; error?: AgenticLoopResult["error"] }
  | { output: string; state: Record<string, string>; escalate?: boolean };

/**
 * Runs a piece of work once in the life of a run: where it ended before, its end is taken from the log. What `work`
 * yields carries `path`; `mine` holds what of it is known from before, and `before.isAnswered` whether that ends with an answer.
 */
export async function* step(
  context: WorkflowContext,
  path: string,
  work: (before: Pick<Recalled, "iterationsUsed" | "isAnswered">) => AsyncGenerator<StepChunk, StepEnd>,
  mine = new Transcript([], [], path, "drop"),
): AsyncGenerator<StepChunk, AgentEnd> {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const before = recall(context.past, path, mine);
  let { end } = before;
  if (!end) {
    if (!before.started) yield { type: "agent", name, event: "start", agent: path };
    const ended = yield* tap(work(before), (chunk) => mine.add(chunk));
    if ("stop" in ended) return ended;
    const { output, state, escalate } = ended;
    end = { type: "agent", name, event: escalate ? "escalate" : "end", output, state, agent: path };
    context.delta.push(...labelled(mine, path));
    yield end;
  } else if (context.kept.has(end)) context.delta.push(...labelled(mine, path));
  Object.assign(context.state, end.state);
  context.history.push(...labelled(mine, path));
  return end.event === "escalate" ? { escalate: name } : {};
}

type StepEnded = Extract<StepChunk, { event: "end" | "escalate" }>;

interface Recalled {
  iterationsUsed: number;
  started: boolean;
  /** Its last turn was whole and asked for nothing. */
  isAnswered: boolean;
  end: StepEnded | undefined;
}

/** What the logs of the chain know of a step. */
function recall(past: readonly StepChunk[], path: string, mine: Transcript): Recalled {
  const known: Recalled = { iterationsUsed: 0, started: false, isAnswered: false, end: undefined };
  let asked = false;
  for (const chunk of past) {
    if (chunk.agent !== path) continue;
    mine.add(chunk);
    if (chunk.type === "iteration") {
      known.iterationsUsed = chunk.index;
      known.isAnswered = asked = false;
    } else if (chunk.type === "tool_call") asked = true;
    else if (chunk.type === "usage" && chunk.stopReason)
      known.isAnswered = !asked && chunk.stopReason !== "max_tokens";
    // The model was not asked in this turn, which comes again.
    else if (chunk.type === "step_request" && chunk.kind === "model") known.iterationsUsed--;
    else if (chunk.type === "agent" && chunk.event === "start") known.started = true;
    else if (chunk.type === "agent") known.end = chunk;
  }
  return known;
}

const labelled = (mine: Transcript, agent: string): ChatMessage[] =>
  mine.close().delta.map((message) => ({ ...message, agent }));

/** `yield*` that shows each chunk to `see`. */
export async function* tap<End>(
  source: AsyncGenerator<StepChunk, End>,
  see: (chunk: StepChunk) => void,
): AsyncGenerator<StepChunk, End> {
  let next = await source.next();
  try {
    for (; !next.done; next = await source.next()) {
      see(next.value);
      yield next.value;
    }
    return next.value;
  } finally {
    if (!next.done) await source.return(undefined as never);
  }
}
