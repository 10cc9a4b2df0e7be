import type { TurnView } from "@/lib/client/run/messages-to-turns";
import type { ConversationChoice } from "@/lib/protocol/choice";
import type { ComparedQuestion, QueuedMessage } from "@/lib/protocol/http";

/** What the page knows of one conversation. */
export interface ConversationState {
  /** Null until the first message is stored. */
  id: string | null;
  phase: "new" | "loading" | "ready" | "missing" | "failed";
  title: string;
  /** What its next message goes out with; null where nothing was chosen. */
  choice: ConversationChoice | null;
  /** Nothing of it is kept; of a new one the person says it. */
  isTemporary: boolean;
  /** It came as the file of a run, to be looked at: nothing is asked in it. */
  isReadOnly: boolean;
  /** It holds the calls of another program. */
  isOfProgram: boolean;
  /** Step mode, as it was switched in this tab; null where it was not: then an answer that waits in it says so. */
  isStepping: boolean | null;
  /** The next answers may propose a plan. */
  isPlanning: boolean;
  /** What goes over the wire for the next answers is recorded; otherwise the settings say. */
  isRecording: boolean;
  /** The project that it is in; of a new one the page says it. */
  projectId: string | null;
  turns: readonly TurnView[];
  /** The end of the branch that is shown without being the current one; null: the current one is. */
  branchLeafId: string | null;
  /** The models that the next question goes to beside each other; null: to the conversation's own. */
  comparing: readonly string[] | null;
  /** Those that answer the last question beside each other, until one is chosen to go on with. */
  comparison: readonly ComparedQuestion[] | null;
  /** How far they are, while a page follows them. */
  columns: ColumnsState | null;
  /** What was written meanwhile, and waits until the model gets it. */
  queue: QueueState;
  /** Whether there are older messages to load. */
  hasMore: boolean;
  loadingOlder: boolean;
  /** From pressing Send until the server has the message. */
  sending: boolean;
  /** The run whose stream is read; null when nothing runs. */
  liveRunId: string | null;
  line: "open" | "reopening" | "lost";
  /** What could not be done, in words; cleared by the next attempt. */
  failure: Failure | null;
}

export interface ColumnsState {
  /** How many have ended. */
  ended: number;
  /** None goes on any more, but for a person's answer. */
  waits: boolean;
  /** A question of the one that is seen alone stands open. */
  isAsked: boolean;
}

export interface QueueState {
  /** First what goes into the answer, then what is asked after it. */
  lines: readonly QueueLine[];
  /** What has become of a line last. */
  news: QueueNews | null;
}

export interface QueueLine extends QueuedMessage {
  /** The same before and after the server has it. */
  key: string;
  isSending: boolean;
  /** The answer ended before the model could read it. */
  tooLate: boolean;
}

export type QueueNews =
  | {
      kind:
        | "after"
        | "next_turn"
        | "stop"
        | "takenBack"
        | "read"
        | "askedNext"
        | "notSteered"
        | "tooLate"
        | "delivered";
    }
  | { kind: "moved"; place: number; count: number }
  | { kind: "failed"; failure: Failure };

export interface Failure {
  code: string;
  message: string;
}

export const emptyConversation: ConversationState = {
  id: null,
  phase: "new",
  title: "",
  choice: null,
  isTemporary: false,
  isReadOnly: false,
  isOfProgram: false,
  isStepping: null,
  isPlanning: false,
  isRecording: false,
  projectId: null,
  turns: [],
  branchLeafId: null,
  comparing: null,
  comparison: null,
  columns: null,
  queue: { lines: [], news: null },
  hasMore: false,
  loadingOlder: false,
  sending: false,
  liveRunId: null,
  line: "open",
  failure: null,
};
