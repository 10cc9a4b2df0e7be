import { type ComponentType, createContext, type ReactNode } from "react";
import type { ForkRequest } from "@/lib/client/conversation/fork-answer";
import type { AnswerView, ForkView } from "@/lib/client/run/messages-to-turns";
import type { ToolCallId } from "@/lib/protocol/ids";

export interface AnswerForker {
  /** Forks the answer and shows the fork. Throws `ApiError`. */
  fork(request: ForkRequest): Promise<void>;
  /** Where the person edits it. */
  Place: ComponentType<ForkPlaceProps>;
}

/** Null where nobody may fork, as on a shared page. */
export const Forker = createContext<AnswerForker | null>(null);

export type ForkPart = "result" | "args" | "text";

/** What is being forked. */
export interface ForkPlaceAt {
  /** Number of the loop. */
  loop: number;
  /** Null: the words of the turn. */
  call: ToolCallId | null;
  /** What the person edits. */
  part: ForkPart;
}

export interface ForkPlaceProps {
  answer: AnswerView;
  at: ForkPlaceAt;
  busy: boolean;
  onChange(at: ForkPlaceAt | null): void;
}

export interface TurnFork {
  /** Of an answer that is a fork itself. */
  fork: ForkView | undefined;
  at: ForkPlaceAt | null;
  /** Absent where the answer cannot be forked, or not now. */
  begin: ((at: ForkPlaceAt) => void) | undefined;
}

/** How a turn is forked, for its lines. */
export const TurnForkContext = createContext<TurnFork>({ fork: undefined, at: null, begin: undefined });

/** What is drawn under the line at which the answer is being forked. */
export const ForkPlacement = createContext<ReactNode>(null);
