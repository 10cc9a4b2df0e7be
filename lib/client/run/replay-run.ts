import type { Chunk, LoopStopReason, StopReason } from "@/lib/protocol/chunk";
import type { RunItem, RunIteration } from "@/lib/protocol/http";
import type { ChatMessage, ToolResult } from "@/lib/protocol/message";
import { openRunView, reduceRun } from "./reduce-run";
import type { RunView } from "./run-view";

export interface ReplayOptions {
  continued?: RunView | undefined;
  isLast?: boolean;
  /** Only its first messages are here: another run continues from them. */
  isPart?: boolean;
}

type ReplayedMessage = ChatMessage & { id?: string };

/**
 * The view of a finished run, from its stored messages and its timeline.
 * It feeds chunks like those of the live stream to the same reducer, so a reload shows what was shown before.
 */
export function replayRun(
  run: RunItem,
  messages: readonly ReplayedMessage[],
  { continued, isLast = true, isPart = false }: ReplayOptions = {},
): RunView {
  let view = openRunView(run.id, continued);
  for (const chunk of chunksOf(run, messages, isLast && !isPart)) view = reduceRun(view, chunk);
  if (isPart) return { ...view, status: "completed", endedAt: view.lastAt };
  for (const chunk of endOf(run)) view = reduceRun(view, chunk);
  return { ...view, status: run.status };
}

function* chunksOf(run: RunItem, messages: readonly ReplayedMessage[], isLast: boolean): Generator<Chunk> {
  const timeline = [...run.iterations];
  const timings = new Map(
    [...run.iterations.flatMap((turn) => turn.toolCalls), ...run.answeredCalls].map(
      (call) => [call.id, call] as const,
    ),
  );
  let index = timeline[0] ? timeline[0].index - 1 : 0;
  // A summary is written in the loop whose turn needs it.
  let before: Note[] = [];
  for (const message of messages) {
    if (message.role === "assistant") {
      const turn = takeTurn(timeline, message);
      index = turn?.index ?? index + 1;
      yield* inAgent(message.agent, chunksOfTurn(run, message, index, turn, before));
      before = [];
    } else if (message.role === "tool") {
      for (const result of message.results)
        yield* inAgent(message.agent, chunksOfCall(result, timings.get(result.id)));
    } else if (message.role === "summary") before.push({ type: "message", message });
    else yield { type: "message", ...(message.id !== undefined && { id: message.id }), message };
  }
  yield* before;
  // Turns without a message; a turn that the next run repeats is not shown twice.
  if (isLast && run.status !== "running")
    for (const turn of timeline)
      yield* inAgent(turn.agent, chunksOfTurn(run, { role: "assistant", parts: [] }, turn.index, turn));
  for (const step of run.steps ?? [])
    yield { type: "agent", name: step.agent, output: "", state: {}, ...step };
}

function* endOf(run: RunItem): Generator<Chunk> {
  const { takenBack } = run;
  if (takenBack !== undefined)
    yield { type: "answer", requestId: takenBack, answer: { takesBack: takenBack } };
  yield* run.answers ?? [];
  for (const request of run.pending) yield request;
  if (run.stopReason) yield ending(run, run.stopReason);
}

function* inAgent(agent: string | undefined, chunks: Iterable<Chunk>): Generator<Chunk> {
  for (const chunk of chunks) yield agent === undefined ? chunk : { ...chunk, agent };
}

type Note = Extract<Chunk, { type: "message" }>;

/** The timeline entry of a message: the one with its calls, else the next. Entries that are skipped have no message. */
function takeTurn(
  timeline: RunIteration[],
  message: ChatMessage & { role: "assistant" },
): RunIteration | undefined {
  // A call that ran again has another id than in the timeline; the calls beside it do not.
  const calls = message.parts.flatMap((part) => (part.type === "tool_call" ? part.id : []));
  const asksFor = ({ toolCalls }: RunIteration) => toolCalls.some(({ id }) => calls.includes(id));
  // Turns of parallel agents are interleaved; entries that another agent still needs stay.
  if (message.agent !== undefined) {
    const own = timeline.findIndex(
      (turn) => turn.agent === message.agent && (calls.length === 0 || asksFor(turn)),
    );
    return own < 0 ? undefined : timeline.splice(own, 1)[0];
  }
  const at = calls.length > 0 ? timeline.findIndex(asksFor) : 0;
  return timeline.splice(0, Math.max(at, 0) + 1).at(-1);
}

function* chunksOfTurn(
  run: RunItem,
  message: ChatMessage & { role: "assistant" },
  index: number,
  turn: RunIteration | undefined,
  before: readonly Note[] = [],
): Generator<Chunk> {
  const startedAt = Date.parse((turn ?? run).startedAt);
  const firstAt = startedAt + (turn?.timeToFirstTokenMs ?? 0);
  const endedAt = turn?.latencyMs == null ? firstAt : startedAt + turn.latencyMs;
  const thoughtUntil = turn?.reasoningMs === undefined ? firstAt : firstAt + turn.reasoningMs;
  let stopReason: StopReason = "end_turn";
  let at = firstAt;
  yield {
    ...{ type: "iteration", index, at: startedAt },
    ...(turn?.limit && { limit: turn.limit }),
    ...(turn?.copied && { copied: true }),
  };
  for (const notice of turn?.notices ?? []) yield { type: "notice", ...notice };
  yield* before;
  for (const part of message.parts) {
    if (part.type === "tool_call") {
      stopReason = "tool_use";
      yield { type: "tool_call", call: part, at };
    } else if (part.type === "text" && part.format)
      yield { type: "text", content: part.text, format: part.format, at };
    else yield { type: part.type, content: part.text, at };
    if (part.type === "reasoning") at = thoughtUntil;
  }
  // Words that broke off are no whole turn, as they were none while they came.
  const brokeOff = turn?.latencyMs === null && stopReason === "end_turn" && breaks.includes(run.stopReason);
  yield {
    ...{ type: "usage", at: endedAt, ...(!brokeOff && { stopReason }) },
    ...(turn?.usage ?? { inputTokens: 0, outputTokens: 0 }),
  };
}

const breaks: readonly (LoopStopReason | null)[] = ["aborted", "error", "interrupted", "timeout"];

function* chunksOfCall(
  result: ToolResult,
  timing: RunIteration["toolCalls"][number] | undefined,
): Generator<Chunk> {
  const startedAt = timing?.startedAt ? Date.parse(timing.startedAt) : null;
  const durationMs = timing?.durationMs ?? 0;
  const { plan, flows } = timing ?? {};
  if (startedAt !== null)
    yield {
      type: "tool_start",
      id: result.id,
      args: result.args ?? {},
      ...(plan && { plan }),
      ...(flows && { flows }),
      at: startedAt,
    };
  yield {
    type: "tool_result",
    result,
    durationMs,
    ...(startedAt !== null && { at: startedAt + durationMs }),
  };
}

function ending(run: RunItem, stopReason: NonNullable<RunItem["stopReason"]>): Chunk {
  return {
    type: "result",
    ...(run.endedAt && { at: Date.parse(run.endedAt) }),
    result: {
      stopReason,
      historyDelta: [],
      finalText: "",
      iterationsUsed: run.iterations.length,
      timedOut: stopReason === "timeout",
      usage: run.usage,
      ...(run.error && { error: run.error }),
    },
  };
}
