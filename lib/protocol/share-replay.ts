import type { LoopStopReason, NoticeKind, StopReason } from "./chunk";
import type { ToolCallId } from "./ids";
import type { Usage } from "./usage";

/**
 * When what a copy shows came to be: times and places in the copy, and not a word. What the copy does not show, no step can
 * name; texts are read from it, so that they are as redacted as it is.
 */
export interface ShareReplay {
  /** Only runs whose log tells how each of their messages came to be; others are there at once. */
  runs: ReplayRun[];
}

export interface ReplayRun {
  runId: string;
  /** Epoch ms. */
  from: number;
  steps: ReplayStep[];
}

/** `at` is ms since the run began. `message` and `part` are places in `messages` of the copy. */
export type ReplayStep = { at: number; agent?: string } & (
  | { is: "loop"; index: number; limit?: number }
  /** Until the next step the part grows evenly to so many characters: the log has no times between. */
  | { is: "part"; message: number; part: number; to: number }
  /** The model begins to write a call that is shown in full. */
  | { is: "writing"; id: ToolCallId; name: string }
  | { is: "call"; message: number; part: number }
  | { is: "start"; id: ToolCallId }
  | { is: "result"; id: ToolCallId; ms: number }
  | { is: "turn"; stopReason?: StopReason; usage: Usage }
  /** What the model read on the way: a steering message, or a summary. */
  | { is: "message"; message: number }
  /** The next one of its kind in `iterations` of the run. */
  | { is: "notice"; kind: NoticeKind }
  /** The next one of `steps` of the run. */
  | { is: "step" }
  /** A person is asked, and has answered; what, is the owner's. */
  | { is: "ask" | "answer"; id?: ToolCallId }
  | { is: "end"; stopReason: LoopStopReason }
);
