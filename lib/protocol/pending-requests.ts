import type { Chunk, PendingRequest } from "./chunk";
import { isFor } from "./chunk-kinds";
import type { ToolCallId } from "./ids";
import { isInside } from "./open-calls";

/**
 * The open questions of a run, oldest first: without an `answer`, and their call neither sent meanwhile
 * (by a rule that was changed) nor answered.
 */
export function pendingRequests(log: Iterable<Chunk>): PendingRequest[] {
  const pending = new Map<string, PendingRequest & { agent?: string }>();
  const drop = (isVoid: (request: PendingRequest & { agent?: string }) => boolean) => {
    for (const [requestId, request] of pending) if (isVoid(request)) pending.delete(requestId);
  };
  for (const chunk of log) {
    if (!isFor("questions", chunk)) continue;
    switch (chunk.type) {
      case "approval_request":
      case "input_request":
      case "budget_request":
      case "step_request":
        pending.delete(chunk.requestId); // asked again, it comes last
        pending.set(chunk.requestId, chunk);
        continue;
      case "answer":
        pending.delete(chunk.requestId);
        continue;
      case "tool_start":
        drop((request) => request.type === "approval_request" && request.requestId === chunk.id);
        continue;
      case "tool_state":
        // What a server asked on its way; whether the call may run is another question.
        drop((request) => callOf(request) === chunk.id && request.requestId !== chunk.id);
        continue;
      case "tool_result": {
        const { id } = chunk.result;
        drop((request) => callOf(request) === id || isInside(request.agent, id));
        continue;
      }
    }
    chunk satisfies never;
  }
  return [...pending.values()];
}

/** The call that a request is about; none for a budget and for a model. */
export function callOf(request: PendingRequest): ToolCallId | undefined {
  switch (request.type) {
    case "approval_request":
      return request.call.id;
    case "input_request":
      return request.id;
    case "step_request":
      return request.kind === "tool" ? request.id : undefined;
    case "budget_request":
      return undefined;
  }
}
