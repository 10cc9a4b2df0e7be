import type { TurnView } from "@/lib/client/messages-to-turns";

/** What a person can do with a turn. One object for all turns, the same for as long as the conversation is shown. */
export interface TurnActions {
  edit(turn: TurnView, text: string): void;
  regenerate(turn: TurnView): void;
  resume(runId: string): void;
  showSibling(messageId: string): void;
}
