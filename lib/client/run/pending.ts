import type { PendingRequest } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { RunView } from "./run-view";

export const ask = (view: RunView, request: PendingRequest): RunView => ({
  ...view,
  pending: [...view.pending.filter(({ requestId }) => requestId !== request.requestId), request],
});

export const answered = (view: RunView, requestId: string): RunView => ({
  ...view,
  pending: view.pending.filter((request) => request.requestId !== requestId),
});

/** The call that a request is about; none for a budget. */
export function callOf(request: PendingRequest): ToolCallId | null {
  switch (request.type) {
    case "approval_request":
      return request.call.id;
    case "input_request":
      return request.id;
    case "budget_request":
      return null;
  }
}

export function withoutRequests(view: RunView, id: ToolCallId): RunView {
  return view.pending.some((request) => callOf(request) === id)
    ? { ...view, pending: view.pending.filter((request) => callOf(request) !== id) }
    : view;
}
