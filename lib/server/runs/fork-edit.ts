import type { z } from "zod";
import { findArgumentProblems } from "@/lib/agent/argument-problems";
import { callsOfLastRound, type ForkEdit } from "@/lib/protocol/fork";
import { callsIn } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall } from "@/lib/protocol/message";
import type { ForkBody } from "@/lib/server/contract/fork";
import { HttpError } from "@/lib/server/http/errors";
import type { RunDeps } from "@/lib/server/loop/run-deps";
import type { RunOptions, RunRow } from "@/lib/store/types";
import type { ForkPoint } from "./fork-point";

/** The body has been checked: it has one of the three. */
export function toEdit({
  text,
  callId = "",
  args,
  result,
}: NonNullable<z.output<typeof ForkBody>["edit"]>): ForkEdit {
  const id = callId as ToolCallId;
  if (args) return { callId: id, args };
  return result ? { callId: id, result } : { text: text ?? "" };
}

/** Refuses an edit of what does not stand before the step, or cannot be edited there. */
export function checkEdit(
  deps: RunDeps,
  { options }: Pick<RunRow, "options">,
  point: ForkPoint,
  edit: ForkEdit,
): void {
  if ("text" in edit) checkText(options);
  else {
    const call = findCall(point, edit.callId);
    if ("args" in edit) checkArgs(deps, point, call, edit.args);
  }
}

function checkArgs(deps: RunDeps, point: ForkPoint, call: ToolCall, args: ToolCall["args"]): void {
  const told = point.answer.map(({ message }) => message);
  if (!callsOfLastRound(told).some(({ id }) => id === call.id))
    throw new HttpError(
      400,
      "invalid_input",
      "edit.callId: what follows this call was written with its result; fork at the end of its own round.",
      { afterSeq: roundOf(point, call.id) },
    );
  const tool = deps.pool.tool(call.name);
  const problem = tool && findArgumentProblems(tool.item.inputSchema, args)[0];
  if (problem) throw new HttpError(400, "invalid_input", `edit.args: ${problem}`);
}

/** The words would be the end of the answer, also where a turn in its middle had them. */
function checkText({ responseSchema }: RunOptions): void {
  if (responseSchema)
    throw new HttpError(
      422,
      "not_supported",
      "edit.text: an answer that has to match a schema cannot be edited.",
    );
}

function findCall({ answer, log, step: { agent } }: ForkPoint, callId: ToolCallId): ToolCall {
  const call = answer.flatMap(({ message }) => callsIn(message)).find(({ id }) => id === callId);
  if (call) return call;
  // A turn that was cut off has none that counts.
  const later = log.find((chunk) => chunk.type === "tool_call" && chunk.call.id === callId);
  if (later && later.agent !== agent)
    throw new HttpError(
      400,
      "invalid_input",
      "edit.callId: this call is one of another agent; fork at a step of that agent.",
    );
  if (later)
    throw new HttpError(
      400,
      "invalid_input",
      "edit.callId: this call comes after afterSeq; fork at a later step.",
    );
  throw new HttpError(404, "not_found", "edit.callId: there is no such call in this answer.");
}

/** Null for one of an earlier run. */
function roundOf({ log, find }: ForkPoint, callId: ToolCallId): number | null {
  const at = log.findIndex((chunk) => chunk.type === "tool_result" && chunk.result.id === callId);
  if (at < 0) return null;
  const step = find(at + 1);
  return "kind" in step ? at + 1 : step.after;
}
