import type { PendingRequest } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import { callOf } from "@/lib/protocol/pending-requests";
import type { RunView } from "./run-view";

export const ask = (view: RunView, request: PendingRequest): RunView => ({
  ...view,
  pending: [...view.pending.filter(({ requestId }) => requestId !== request.requestId), request],
});

export const answered = (view: RunView, requestId: string): RunView => ({
  ...view,
  pending: view.pending.filter((request) => request.requestId !== requestId),
});

export function withoutRequests(view: RunView, id: ToolCallId): RunView {
  return view.pending.some((request) => callOf(request) === id)
    ? { ...view, pending: view.pending.filter((request) => callOf(request) !== id) }
    : view;
}
