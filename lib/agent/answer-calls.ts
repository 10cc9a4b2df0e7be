import type { Chunk, LoopStopReason, StepChunk, WaitReason } from "@/lib/protocol/chunk";
import { kindOf } from "@/lib/protocol/chunk-kinds";
import { notRun, openToolCalls } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { runLimits } from "@/lib/protocol/run-limits";
import type { Transcript } from "@/lib/protocol/transcript";
import { Mailbox } from "./mailbox";
import { RunError, type ToolBox } from "./ports";

/** Of one round; progress beyond it is dropped rather than kept. */
const maxQueuedReports = 256;

const { callsPerTurn: maxCalls, callsAtOnce: maxInFlight } = runLimits.chat;

/** Of calls on their way (`performance.now()`), since they were sent or, before that, begun. */
export type StartTimes = Map<ToolCallId, number>;

/** Of the request of the loop, what calls need. */
export interface CallRequest {
  tools?: ToolBox;
  /** Called with every error that the result only calls `internal`. Must not throw. */
  onFault?: (cause: unknown) => void;
}

type Outcome = ToolResult | { waiting: WaitReason };

/** `end`: the round is the last one. */
type Report = { id: ToolCallId } & ({ chunk: StepChunk } | { outcome: Outcome; end?: RunError });

/** Runs the calls side by side, begun in their order, and reports everything in the order in which it happens. */
export async function* answerCalls(
  calls: readonly ToolCall[],
  request: CallRequest,
  record: Transcript,
  { startedAt, signal, hadTools }: { startedAt: StartTimes; signal: AbortSignal; hadTools: boolean },
): AsyncGenerator<Chunk, LoopStopReason | undefined> {
  yield* refuseCalls(calls.slice(maxCalls), record);
  const queue = calls.slice(0, maxCalls);
  const mailbox = new Mailbox<Report>(signal);
  const startCalls = () => {
    if (signal.aborted) return;
    for (const call of queue.splice(0, maxInFlight - startedAt.size)) {
      startedAt.set(call.id, performance.now());
      startCall(call, request, record, mailbox, signal);
    }
  };
  let waiting: WaitReason | undefined;
  let isRefused = true;
  let end: RunError | undefined;
  try {
    startCalls();
    while (startedAt.size > 0) {
      const report = await mailbox.next();
      const { id } = report;
      const start = startedAt.get(id);
      if (start === undefined) continue; // a late report of a call that has its result
      if ("chunk" in report) {
        if (report.chunk.type === "tool_start") {
          isRefused = false;
          startedAt.set(id, performance.now());
        }
        yield record.add(report.chunk);
      } else {
        startedAt.delete(id);
        end ??= report.end;
        isRefused &&= "status" in report.outcome && report.outcome.status === "error";
        if ("waiting" in report.outcome) waiting ??= report.outcome.waiting;
        else {
          const durationMs = Math.round(performance.now() - start);
          yield record.add({ type: "tool_result", result: report.outcome, durationMs });
        }
        startCalls();
      }
    }
  } finally {
    mailbox.close();
  }
  signal.throwIfAborted(); // Stop is Stop, also for calls that only wait
  if (end) throw end;
  // A turn that calls tools though it was offered none would do so again, and would have to be paid for.
  if (!request.tools || (isRefused && !hadTools && request.tools.list().length === 0))
    throw new RunError("no_tools", "The model asked for a tool, but no tools are connected.");
  return waiting;
}

function* refuseCalls(calls: readonly ToolCall[], record: Transcript): Generator<Chunk> {
  const why = `Not run: at most ${maxCalls} calls of one turn run. Ask for the others in the next turn.`;
  for (const { id } of calls)
    yield record.add({ type: "tool_result", result: notRun(id, why), durationMs: 0 });
}

function startCall(
  call: ToolCall,
  { tools = noTools, onFault }: CallRequest,
  record: Transcript,
  mailbox: Mailbox<Report>,
  signal: AbortSignal,
): void {
  const { id } = call;
  const emit = (chunk: StepChunk) => {
    const isLossy = kindOf(chunk).write === "lossy";
    return isLossy && mailbox.size >= maxQueuedReports ? Promise.resolve() : mailbox.store({ id, chunk });
  };
  Promise.try(() => tools.call(call, { signal, emit })).then(
    // A result under another id would leave the call open for ever.
    (outcome) => mailbox.put({ id, outcome: "waiting" in outcome ? outcome : { ...outcome, id } }),
    (cause) => {
      if (cause instanceof RunError) {
        mailbox.put({ id, outcome: notRun(id, "Not run: the run ended with this call."), end: cause });
        return;
      }
      if (!signal.aborted) onFault?.(cause);
      mailbox.put({ id, outcome: unfinished(id, record, whyInWords("error")) });
    },
  );
}

/** Gives every call that is still open its result, so that the history is whole. */
export function* closeCalls(
  record: Transcript,
  startedAt: StartTimes,
  why: LoopStopReason,
): Generator<Chunk> {
  for (const { id } of openToolCalls(record.close().history())) {
    const start = record.sent.has(id) ? startedAt.get(id) : undefined;
    const durationMs = start === undefined ? 0 : Math.round(performance.now() - start);
    const result = unfinished(id, record, whyInWords(why));
    // The server of what this run has sent is told that it was stopped.
    if (why === "aborted" && start !== undefined) result.reason = "cancelled";
    if (why === "timeout" && result.status === "unknown") result.reason = "unfinished";
    yield record.add({ type: "tool_result", result, durationMs });
  }
}

function whyInWords(why: LoopStopReason): string {
  if (why === "timeout") return "the time of the run was over";
  if (why === "aborted") return "the run was stopped";
  if (why === "interrupted") return "Meguri was shut down";
  return "it failed on our side";
}

function unfinished(id: ToolCallId, { sent }: Transcript, why: string): ToolResult {
  if (!sent.has(id)) return notRun(id, `Not run: ${why}.`);
  const text = `Sent, but it ended before an answer came: ${why}.`;
  return { id, status: "unknown", content: [{ type: "text", text }] };
}

const noTools: ToolBox = {
  list: () => [],
  call: async ({ id, name }) => notRun(id, `There is no tool ${name}: no tools are connected.`),
};
