import type { ToolCallId } from "@/lib/protocol/ids";
import { HttpError } from "@/lib/server/http/errors";
import type { RunRow } from "@/lib/store/types";
import type { RunDeps } from "./run-deps";

/** Gives up one call of a live run: its server is told, the model reads that its outcome is unknown, and the run goes on. */
export function cancelCall({ runs, inFlight }: RunDeps, { id }: RunRow, callId: string): void {
  const isOpen = runs.get(id)?.chain.open.get(callId as ToolCallId)?.sent;
  if (!isOpen || !inFlight.has(callId))
    throw new HttpError(409, "not_running", "This call has already ended.");
  inFlight.release(callId);
}
