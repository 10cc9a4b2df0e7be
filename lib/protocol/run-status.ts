import type { LoopStopReason } from "./chunk";
import type { RunStatus } from "./http";

/** What a run is called when it has ended for this reason. */
export function statusAfter(stopReason: LoopStopReason): RunStatus {
  switch (stopReason) {
    case "end_turn":
    case "max_tokens":
    case "max_iterations":
    case "timeout":
      return "completed";
    case "aborted":
      return "stopped";
    case "awaiting_approval":
    case "awaiting_input":
    case "awaiting_step":
    case "budget":
      return "waiting";
    case "error":
      return "failed";
    case "interrupted":
      return "interrupted";
  }
}
