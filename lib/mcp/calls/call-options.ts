import type { CallToolResult } from "@modelcontextprotocol/client";
import type { CallListener } from "@/lib/mcp/connection/asking-calls";
import type { Connection } from "@/lib/mcp/connection/connection";
import type { ServerTool } from "@/lib/mcp/connection/server-tool";
import type { InputRequired, Resume } from "@/lib/mcp/questions/input-required";
import type { Question, QuestionAnswer } from "@/lib/mcp/questions/pending-questions";
import type { Outcome } from "./read-result";

/** One call, and how it is followed. */
export interface CallOptions
  extends Pick<CallListener, "run" | "person" | "onProgress" | "onLog" | "onMessage"> {
  /** Prefix of the ids of its questions. */
  callId: string;
  args: Record<string, unknown>;
  /** Cancels the call; its server is notified. */
  signal: AbortSignal;
  /** W3C trace context, sent along in `_meta`. */
  traceparent?: string | undefined;
  /** Answers to the questions that the call ended in, or the task that it has become. */
  resume?: Resume | undefined;
  /** Puts a question of the server to a person; absent where there is none. */
  ask?(question: Question, signal: AbortSignal): Promise<QuestionAnswer>;
  /** The answer as it came, before it is bounded. */
  onResult?(answer: CallToolResult): void;
  /** The call has become a task of the server. Resolves when its id is stored. */
  onTask?(taskId: string): Promise<void>;
}

/** A tool in the definition that the call was judged by, and what the entry of its server says of calls. */
export interface CallTarget {
  server: string;
  tool: ServerTool;
  /** Ends a call that shows no progress for so long, ms. */
  readonly timeoutMs: number;
  /** Ends a call whatever progress there is, ms; 10 minutes unless the entry says otherwise. */
  readonly longestMs?: number | undefined;
  /** The definition is pinned and says that calling twice is the same as calling once. */
  readonly repeatable: boolean;
  /** Whether it takes no calls before a person signs in. */
  readonly needsSignIn?: boolean;
  /** Whether a result may leave the loop of agents around it. */
  readonly mayEscalate?: boolean | undefined;
  /** Runs `send` with the server awake: one that sleeps is started first, and `fault` says why it could not be. */
  use(call: CallOptions, send: (fault: string | undefined) => Promise<CallOutcome>): Promise<CallOutcome>;
  /** The live connection. Waits a few seconds for one that is being restored. */
  connection(signal: AbortSignal): Promise<Connection | undefined>;
}

/** How a call ended: with a result, with questions, or not run, as its server (`signIn`) wants a person to sign in first. */
export type CallOutcome = Outcome | { inputRequired: InputRequired } | { signIn: string };

/** The same in a word: `asked` and `sign_in` wait for a person, `not_run` never got to its server. */
export function callStatusOf(outcome: CallOutcome): Outcome["status"] | "not_run" | "asked" | "sign_in" {
  if ("inputRequired" in outcome) return "asked";
  if ("signIn" in outcome) return "sign_in";
  return outcome.reason === "not_run" ? "not_run" : outcome.status;
}
