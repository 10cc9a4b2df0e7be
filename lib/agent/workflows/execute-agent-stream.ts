import { LoopStop } from "@/lib/agent/ports";
import { runSignal } from "@/lib/agent/run-signal";
import type { AgenticLoopResult, Chunk, LoopStopReason, StepChunk, StepRecord } from "@/lib/protocol/chunk";
import { lastText } from "@/lib/protocol/history";
import { runLimits } from "@/lib/protocol/run-limits";
import { addUsage } from "@/lib/protocol/usage";
import { guarded } from "./guarded";
import { type Agent, type AgentEnd, agentInWords, type WorkflowContext } from "./types";

export interface AgentRequest
  extends Omit<WorkflowContext, "history" | "state" | "delta" | "past" | "kept" | "system"> {
  system?: string;
  history: readonly WorkflowContext["history"][number][];
  state?: Record<string, string>;
  /** The logs of the runs that this one continues, the oldest first; default none. */
  past?: readonly StepChunk[];
  /** Copies with which the log of this run begins, as a fork's does; default none. */
  kept?: readonly StepChunk[];
}

/** Default limit of a whole workflow, in ms. */
const defaultTimeoutMs = runLimits.agent.timeoutMs;

/**
 * Runs a workflow: one run, one log, one result. Its delta holds the messages of the steps that have ended, and so never
 * an open call. Never throws; ends within a moment when the signal fires, even if its agents do not.
 */
export async function* executeAgentStream(agent: Agent, request: AgentRequest): AsyncGenerator<Chunk, void> {
  const { timeoutMs = defaultTimeoutMs, timeUsedMs = 0 } = request;
  const { signal, abort, release } = runSignal(request.signal, timeoutMs - timeUsedMs);
  const context: WorkflowContext = {
    ...request,
    signal,
    timeoutMs,
    system: request.system ?? "",
    history: [...request.history],
    state: { ...request.state },
    delta: [],
    past: [...(request.past ?? []), ...(request.kept ?? [])],
    kept: new Set(request.kept),
  };
  const account = new Account(request.kept);
  try {
    const end = yield* untilAborted(guarded(agent).run(context, agent.name), signal, account);
    yield { type: "result", result: account.result(checkEnd(end, agent, account), context) };
  } finally {
    release();
    abort(new LoopStop("aborted")); // what still hangs in it has nobody to report to
  }
}

/** Passes the chunks on; an agent that does not listen to the signal is left behind. */
async function* untilAborted(
  source: AsyncGenerator<StepChunk, AgentEnd>,
  signal: AbortSignal,
  account: Account,
): AsyncGenerator<StepChunk, AgentEnd> {
  const aborted = Promise.withResolvers<"aborted">();
  const onAbort = () => setTimeout(() => aborted.resolve("aborted"), graceMs);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort);
  try {
    while (true) {
      const next = await Promise.race([source.next(), aborted.promise]).catch(() => "aborted" as const);
      if (next === "aborted") {
        const reason: unknown = signal.reason;
        const stop = reason instanceof LoopStop ? reason.reason : "aborted";
        if (stop === "timeout") yield outOfTime(account.at);
        return { stop };
      }
      if (next.done) return next.value;
      account.add(next.value);
      yield next.value;
    }
  } finally {
    signal.removeEventListener("abort", onAbort);
    void source.return({}).then(undefined, () => {});
  }
}

/** For what listens to the signal, to close its calls. */
const graceMs = 250;

const outOfTime = (path: string): StepChunk => ({
  type: "notice",
  kind: "server",
  message: `The agent ${agentInWords(path)} had not ended when the time of the run was over.`,
});

/** Leaving a loop outside of any loop is a mistake in the workflow. */
function checkEnd(end: AgentEnd, { name }: Agent, account: Account): AgentEnd {
  if (end.stop || end.escalate === undefined) return end;
  const message = `The agent ${agentInWords(account.at || name)} wants to leave a loop, but there is none around it.`;
  return { stop: "error", error: { code: "agent_failed", message } };
}

/** What the result says of the run. */
class Account {
  /** Path of the last chunk. */
  at = "";
  private iterations = 0;
  private readonly usage: AgenticLoopResult["usage"] = { inputTokens: 0, outputTokens: 0 };
  private readonly steps: StepRecord[] = [];

  /** What was copied has cost nothing here. */
  constructor(kept: readonly StepChunk[] = []) {
    for (const chunk of kept) this.noteEnd(chunk);
  }

  add(chunk: StepChunk): void {
    this.at = chunk.agent ?? this.at;
    if (chunk.type === "iteration") this.iterations++;
    if (chunk.type === "usage") addUsage(this.usage, chunk);
    this.noteEnd(chunk);
  }

  private noteEnd(chunk: StepChunk): void {
    if (chunk.type !== "agent" || chunk.event === "start") return;
    const { agent = "", event, rounds, by } = chunk;
    this.steps.push({
      agent,
      event,
      ...(rounds !== undefined && { rounds }),
      ...(by !== undefined && { by }),
    });
  }

  result({ stop, error }: AgentEnd, { delta }: WorkflowContext): AgenticLoopResult {
    const stopReason: LoopStopReason = stop ?? "end_turn";
    return {
      stopReason,
      historyDelta: delta,
      finalText: lastText(delta),
      iterationsUsed: this.iterations,
      timedOut: stopReason === "timeout",
      usage: this.usage,
      steps: this.steps,
      ...(error && { error }),
    };
  }
}
