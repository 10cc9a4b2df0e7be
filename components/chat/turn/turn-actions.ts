import type { TurnView } from "@/lib/client/run/messages-to-turns";
import type { ToolCallId } from "@/lib/protocol/ids";

/** What a person can do with a turn. One object for all turns, the same for as long as the conversation is shown. */
export interface TurnActions {
  /** Nothing is asked in it: turns can be opened and forked, and no more. */
  isReadOnly?: boolean;
  edit(turn: TurnView, text: string): void;
  regenerate(turn: TurnView): void;
  runAgain(turn: TurnView, callId: ToolCallId): void;
  resume(runId: string): void;
  takePlanBack(runId: string): void;
  showSibling(messageId: string): void;
}
