import type { Chunk, LoopStopReason } from "@/lib/protocol/chunk";
import type { RunStatus } from "@/lib/protocol/http";
import type { ToolCallId } from "@/lib/protocol/ids";
import { statusAfter } from "@/lib/protocol/run-status";
import type { Usage } from "@/lib/protocol/usage";
import { addUsage } from "@/lib/protocol/usage";
import {
  appendPiece,
  close,
  endReasoning,
  isFresh,
  newLoop,
  push,
  putTool,
  withoutCalls,
  withoutFragments,
  writeInput,
} from "./loop-steps";
import { filesOf, textOf } from "./message-parts";
import { answered, ask, withoutRequests } from "./pending";
import { emptyRun, type LoopView, type RunView, type ToolView } from "./run-view";
import { announced, settled, started, taken } from "./tool-steps";

/** The view of a run before its first chunk: empty, or that of the run that it continues. */
export function openRunView(runId: string, continued: RunView = emptyRun): RunView {
  return { ...continued, runId, status: "running", stopReason: null, error: null };
}

/**
 * The view that a continuing run starts with. If the last run was cut off, the model is asked again, so its unfinished
 * last turn is dropped; after a question or a limit everything stays.
 */
export function continued(view: RunView): RunView {
  if (!asksAgain(view)) return view;
  const loops = view.loops.slice(0, -1);
  // What was said stays said.
  const steering = view.steering.map((said) =>
    said.after > loops.length ? { ...said, after: loops.length } : said,
  );
  return { ...view, loops, steering };
}

function asksAgain({ status, loops }: RunView): boolean {
  const last = loops.at(-1);
  const cutOff = status === "stopped" || status === "failed" || status === "interrupted";
  return cutOff && last !== undefined && !last.items.some((item) => item.kind === "tool");
}

/** Whether continuing drops text that is shown now, because the model writes it again. */
export const losesWords = (view: RunView): boolean =>
  asksAgain(view) && view.loops.at(-1)?.items.some(({ kind }) => kind === "text" || kind === "json") === true;

/**
 * One step of the view, for the live stream, a reload, a second tab and a share alike.
 * Pure; what a chunk does not touch stays the same object, so that memoised components do not render again.
 */
export function reduceRun(state: RunView, chunk: Chunk): RunView {
  const view = chunk.at === undefined ? state : stamp(state, chunk.at);
  switch (chunk.type) {
    case "iteration":
      return openLoop(view, chunk);
    case "text":
    case "reasoning":
      return inLoop(withFirstToken(view), chunk.agent, (loop) => appendPiece(loop, chunk, clock(view)));
    case "tool_input":
      return inLoop(withFirstToken(view), chunk.agent, (loop) => writeInput(loop, chunk, clock(view)));
    case "tool_call":
      return inLoop(withFirstToken(view), chunk.agent, (loop) =>
        putTool(endReasoning(loop, clock(view)), announced(chunk.call)),
      );
    case "usage":
      return closeTurn(withUsage(view, chunk), chunk.stopReason, chunk.agent);
    case "tool_start":
      return inTool(view, chunk.id, (tool) => ({
        ...started(tool, chunk.args, clock(view)),
        ...(chunk.plan && { plan: chunk.plan }),
        ...(chunk.flows && { flows: chunk.flows }),
        ...by(view),
      }));
    case "tool_progress": {
      const { progress, total, message } = chunk;
      return inTool(view, chunk.id, (tool) => ({
        ...tool,
        progress: {
          progress,
          ...(total !== undefined && { total }),
          ...(message !== undefined && { message }),
        },
      }));
    }
    case "tool_result":
      return inTool(withoutRequests(view, chunk.result.id), chunk.result.id, (tool) => ({
        ...settled(tool, chunk.result, chunk.durationMs, clock(view)),
        ...by(view),
      }));
    case "approval_request":
      return inTool(ask(view, chunk), chunk.call.id, (tool) => ({ ...tool, state: "waiting" }));
    case "input_request":
      return inTool(ask(view, chunk), chunk.id, (tool) => ({ ...tool, state: "waiting" }));
    case "budget_request":
      return ask(view, chunk);
    case "step_request": {
      const next = ask(view, chunk);
      return chunk.kind === "tool" ? inTool(next, chunk.id, (tool) => ({ ...tool, state: "waiting" })) : next;
    }
    case "answer": {
      const { takesBack } = chunk.answer;
      if (takesBack !== undefined) return { ...view, takenBack: [...view.takenBack, takesBack] };
      const next = answered(view, chunk.requestId);
      return chunk.id ? inTool(next, chunk.id, (tool) => taken(tool, chunk.answer)) : next;
    }
    case "notice":
      return inLoop(view, chunk.agent, (loop) =>
        push(isAskedAgain(chunk) ? withoutFragments(loop) : loop, {
          kind: "notice",
          about: chunk.kind,
          message: chunk.message,
          ...(chunk.until !== undefined && { until: chunk.until }),
        }),
      );
    case "message":
      return takeMessage(view, chunk);
    case "result": {
      const { stopReason, error } = chunk.result;
      // Recovery writes this one, possibly hours later: the run ended with the chunk before.
      return finish(
        stopReason === "interrupted" ? state : view,
        statusAfter(stopReason),
        stopReason,
        error ?? null,
      );
    }
    case "agent":
      return chunk.event === "start" ? view : stepEnded(view, chunk);
    case "tool_state":
    case "request":
      return view;
  }
  chunk satisfies never;
  // A kind that only a newer server knows.
  return view;
}

/** Advances the time; the time between two runs of a chain is idle. */
function stamp(view: RunView, at: number): RunView {
  const idle = view.endedAt === null ? 0 : Math.max(0, at - view.endedAt);
  return { ...view, idleMs: view.idleMs + idle, lastAt: at, endedAt: null, startedAt: view.startedAt ?? at };
}

const clock = (view: RunView) => (view.lastAt === null ? null : view.lastAt - view.idleMs);

const by = ({ runId }: RunView) => (runId ? { runId } : {});

function withFirstToken(view: RunView): RunView {
  const now = clock(view);
  return view.firstTokenMs !== null || view.startedAt === null || now === null
    ? view
    : { ...view, firstTokenMs: Math.max(0, now - view.startedAt) };
}

function stepEnded(
  view: RunView,
  { agent = "", event, rounds, by }: Extract<Chunk, { event: "end" | "escalate" }>,
): RunView {
  const step = { agent, event, ...(rounds !== undefined && { rounds }), ...(by !== undefined && { by }) };
  return { ...view, steps: [...view.steps.filter((other) => other.agent !== agent), step] };
}

function openLoop(
  view: RunView,
  { index, limit, agent, copied }: Extract<Chunk, { type: "iteration" }>,
): RunView {
  // A turn that only waited in step mode comes again, and is the same one.
  const last = view.loops.findLastIndex((loop) => loop.agent === agent);
  const waited = view.loops[last]?.items.length === 0 && view.iteration === index ? last : -1;
  const loops = view.loops
    .filter((_, at) => at !== waited)
    .map((loop) => (loop.agent === agent && loop.endedAt === null ? close(loop, clock(view)) : loop));
  const next = newLoop(loops.length + 1, clock(view), { runId: view.runId, agent, copied });
  return { ...view, iteration: index, limit: limit ?? null, loops: [...loops, next] };
}

function takeMessage(view: RunView, { id, message, agent }: Extract<Chunk, { type: "message" }>): RunView {
  if (message.role === "summary")
    return inLoop(view, agent, (loop) => push(loop, { kind: "summary", text: message.text }));
  const at = view.loops.findLastIndex((loop) => loop.agent === agent);
  const loop = view.loops[at];
  const after = loop && isFresh(loop) ? at : view.loops.length;
  const said = { id: id ?? null, after, text: textOf(message.parts), files: filesOf(message.parts) };
  return { ...view, steering: [...view.steering, said] };
}

/** Changes the newest loop of an agent, which is created if there is none. */
function inLoop(view: RunView, agent: string | undefined, change: (loop: LoopView) => LoopView): RunView {
  const at = view.loops.findLastIndex((loop) => loop.agent === agent);
  const loop = view.loops[at];
  if (!loop)
    return {
      ...view,
      loops: [
        ...view.loops,
        change(newLoop(view.loops.length + 1, clock(view), { runId: view.runId, agent })),
      ],
    };
  return { ...view, loops: view.loops.with(at, change(loop)) };
}

function inTool(view: RunView, id: ToolCallId, change: (tool: ToolView) => ToolView): RunView {
  const at = view.loops.findLastIndex((loop) =>
    loop.items.some((item) => item.kind === "tool" && item.id === id),
  );
  const loop = view.loops[at];
  if (!loop) return view;
  const items = loop.items.map((item) => (item.kind === "tool" && item.id === id ? change(item) : item));
  return { ...view, loops: view.loops.with(at, { ...loop, items }) };
}

function withUsage(view: RunView, more: Usage): RunView {
  const usage = { ...view.usage };
  addUsage(usage, more);
  return { ...view, usage };
}

function closeTurn(view: RunView, stopReason: string | undefined, agent: string | undefined): RunView {
  if (!stopReason) return view;
  return inLoop(view, agent, (loop) => {
    const ended = endReasoning(loop, clock(view));
    const kept = stopReason === "max_tokens" ? withoutCalls(ended) : withoutFragments(ended);
    return { ...kept, whole: true };
  });
}

/** After these the model starts its turn again. */
const isAskedAgain = ({ kind }: Extract<Chunk, { type: "notice" }>) => kind === "retry" || kind === "repair";

function finish(
  view: RunView,
  status: RunStatus,
  stopReason: LoopStopReason,
  error: RunView["error"],
): RunView {
  const waits = status === "waiting";
  return {
    ...view,
    status,
    stopReason,
    error,
    endedAt: view.lastAt,
    loops: waits
      ? view.loops
      : view.loops.map((loop) => (loop.endedAt === null ? close(loop, clock(view)) : loop)),
    pending: waits ? view.pending : [],
  };
}
