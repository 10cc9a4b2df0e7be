import type { Answer } from "@/lib/protocol/answer";
import type { Chunk } from "@/lib/protocol/chunk";
import type { ToolResult } from "@/lib/protocol/message";
import { meaningOf } from "@/lib/protocol/questions";
import type { ToolState, ToolView } from "./run-view";

/** A call whose name the model has written, and the start of its arguments. */
export const beginning = ({ id, name, content }: Extract<Chunk, { type: "tool_input" }>): ToolView => ({
  ...announced({ type: "tool_call", id, name, args: {} }),
  written: content,
});

export const announced = (call: ToolView["call"]): ToolView => ({
  kind: "tool",
  id: call.id,
  call,
  state: "writing",
  args: call.args,
  startedAt: null,
  durationMs: null,
  progress: null,
  result: null,
});

export const started = (
  { said: _, ...tool }: ToolView,
  args: ToolView["args"],
  now: number | null,
): ToolView => ({ ...tool, state: "running", args, startedAt: now });

export function settled(
  { said: _, ...tool }: ToolView,
  result: ToolResult,
  durationMs: number,
  now: number | null,
): ToolView {
  return {
    ...tool,
    state: stateOf(result.status),
    result,
    args: result.args ?? tool.call.args,
    durationMs: tool.startedAt === null ? null : durationMs,
    startedAt: tool.startedAt ?? now,
    progress: null,
  };
}

function stateOf(status: ToolResult["status"]): ToolState {
  switch (status) {
    case "ok":
      return "done";
    case "error":
      return "failed";
    case "denied":
    case "unknown":
      return status;
  }
}

/** Failed before it was sent: its words are ours, and nothing of the call has reached its server. */
export const failedUnsent = ({ state, result }: ToolView): boolean =>
  state === "failed" && (result?.reason === "not_run" || result?.reason === "cut_short");

/** Whether it has run, or is running; what has an unknown outcome, was denied or waits counts as not run. */
export const hasRun = (tool: ToolView): boolean =>
  tool.state === "running" || tool.state === "done" || (tool.state === "failed" && !failedUnsent(tool));

export function taken(tool: ToolView, answer: Answer): ToolView {
  // A waiting run is replayed from its open questions only: an answered question was not asked in this view.
  if (tool.state !== "waiting" && tool.state !== "writing") return tool;
  return {
    ...tool,
    state: "writing",
    said: whatWasSaid(answer),
    args: answer.args ?? answer.payload?.args ?? tool.args,
  };
}

function whatWasSaid(answer: Answer): NonNullable<ToolView["said"]> {
  switch (meaningOf(answer)?.effect) {
    case "run":
    case "step":
      return "allowed";
    case "result":
    case "reply":
      return "answered";
    case "refuse":
    case "withhold":
    case "raise":
    case "finish":
    case "stop":
    case undefined:
      return "denied";
  }
}
