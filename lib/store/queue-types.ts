import type { QueuedWhen } from "@/lib/protocol/http";
import type { UserMessage } from "@/lib/protocol/message";

/** `taken`: by a run, for its next turn; whether the model has got it, its log says. */
export type QueuedState = "waiting" | "taken" | "delivered";

/** A message that was sent into a chain of runs. */
export interface QueuedRow {
  id: string;
  conversationId: string;
  userId: string;
  /** The first run of the chain behind which it waits. */
  chainId: string;
  clientMessageId: string;
  when: QueuedWhen;
  state: QueuedState;
  /** The run that has taken it, or that answers it. */
  runId: string | null;
  /** As it goes into the history; without parts once it is there. */
  message: UserMessage;
  createdAt: number;
}

export interface NewQueued {
  row: Omit<QueuedRow, "chainId" | "state" | "runId">;
  /** Any run of the chain, and the question that it answers. */
  runId: string;
  questionId: string;
  /** Before all that waits. */
  isFirst?: boolean;
  /** Also behind a chain that has ended. */
  mayFollow?: boolean;
}
