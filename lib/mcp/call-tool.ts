import { InsufficientScopeError, isInputRequiredResult } from "@modelcontextprotocol/client";
import type { CallListener, Connection, Progress } from "./connection";
import { type Deadline, startDeadline } from "./deadline";
import {
  isUrlsRequired,
  type Parked,
  parkResult,
  parkUrls,
  questionId,
  type Resume,
  readQuestion,
  resume as resumeParked,
  toResult,
} from "./elicitation";
import { explainCall } from "./explain-call";
import type { Question, Said } from "./inputs";
import { LoginNeededError } from "./oauth/types";
import { errorOutcome, type Outcome, readResult } from "./read-result";
import type { ServerTool } from "./server-tool";
import { isGone } from "./watch-health";

/** Of one call. */
const maxStepUps = 3;

export interface ToolRequest {
  server: string;
  tool: ServerTool;
  /** Hash of the definition that the call was judged by; to another one it is not sent. */
  definition: string;
  args: Record<string, unknown>;
  timeoutMs: number;
  /** In all, whatever progress there is; 10 minutes unless told. */
  longestMs?: number | undefined;
  signal: AbortSignal;
  /** The definition is pinned and says that doing it twice is the same as doing it once. */
  repeatable: boolean;
  onProgress(progress: Progress): void;
  /** Puts a question of the server to a person; absent where there is none. */
  ask?: ((question: Question, signal: AbortSignal) => Promise<Said>) | undefined;
  /** Names the questions of this call. */
  callId: string;
  /** The call was parked, and its questions are answered. */
  resume?: Resume | undefined;
  /** W3C trace context, sent along in `_meta`. */
  traceparent: string | undefined;
  /** The live connection; waits a moment for one that is coming back. */
  connection(signal: AbortSignal): Promise<Connection | undefined>;
}

/** Sends a call and answers with what is known of it; never throws. A call that broke is repeated once, if that is safe. */
export async function callTool(request: ToolRequest): Promise<Outcome | { parked: Parked }> {
  const deadline = startDeadline(request.timeoutMs, request.signal, request.longestMs);
  let { resume } = request;
  try {
    for (let attempt = 1; ; attempt++) {
      const connection = await request.connection(deadline.signal);
      if (deadline.signal.aborted && attempt === 1)
        return errorOutcome("Not run: stopped before it was sent.");
      if (!connection) return errorOutcome(`Not run: ${request.server} is not connected.`);
      if (!connection.offers(request.tool.name, request.definition)) return changedOutcome();
      const outcome = await send(connection, { ...request, resume }, deadline);
      if ("parked" in outcome && outcome.parked.questions.length === 0) {
        // It only wanted to know what we can say ourselves, or to be asked once more.
        if (attempt > maxStepUps) return errorOutcome(`${request.server} asks for the same again and again.`);
        const next = resumeParked(outcome.parked.state, () => undefined);
        resume = next === "declined" ? undefined : next;
        continue;
      }
      if ("again" in outcome) {
        if (attempt > maxStepUps || deadline.signal.aborted) return outcome.again;
        continue;
      }
      if (!("repeat" in outcome)) return outcome;
      if (!request.repeatable || attempt > 1 || deadline.signal.aborted) return outcome.repeat;
    }
  } finally {
    deadline.clear();
  }
}

async function send(
  connection: Connection,
  request: ToolRequest,
  deadline: ReturnType<typeof startDeadline>,
): Promise<Outcome | { parked: Parked } | { repeat: Outcome } | { again: Outcome }> {
  const { server, tool, args, timeoutMs, repeatable, traceparent, resume, callId } = request;
  try {
    const listener = listenFor(request, deadline);
    const answer = await connection.call(tool, args, deadline.signal, listener, { traceparent, resume });
    if (isInputRequiredResult(answer))
      return { parked: parkResult(answer, callId, () => connection.roots()) };
    return readResult(answer, tool.outputSchema);
  } catch (cause) {
    if (isUrlsRequired(cause)) return { parked: parkUrls(cause, callId) };
    if (deadline.expired) {
      const message =
        deadline.expired === "endless"
          ? `${server} was still at work after ${deadline.longestMs / 1000} s and was told to stop.`
          : `${server} did not answer within ${timeoutMs / 1000} s and was told to stop.`;
      return repeatable ? errorOutcome(message) : unknownOutcome(message);
    }
    if (deadline.signal.aborted)
      return unknownOutcome("Stopped while the call was on its way; the server was told.");
    if (cause instanceof InsufficientScopeError) return stepUp(connection, server, cause);
    if (isGone(cause) || cause instanceof LoginNeededError) connection.lose(cause);
    const { kind, message } = explainCall(cause, server);
    if (kind === "answered") return errorOutcome(message);
    return { repeat: kind === "cut" ? unknownOutcome(message) : errorOutcome(message) };
  }
}

/** Progress starts the time again, and while a person is asked it stands still. */
function listenFor({ onProgress, ask, callId }: ToolRequest, deadline: Deadline): CallListener {
  return {
    onProgress: (progress) => {
      deadline.touch();
      onProgress(progress);
    },
    onInput: async (params) => {
      const question = ask && readQuestion(params, questionId(callId));
      if (!question) return { action: "decline" };
      const goOn = deadline.hold();
      try {
        return toResult(await ask(question, deadline.signal));
      } finally {
        goOn();
      }
    },
  };
}

/** The server has refused, so that the call has not run and may be sent again with more rights. */
async function stepUp(
  connection: Connection,
  server: string,
  { requiredScope }: InsufficientScopeError,
): Promise<Outcome | { again: Outcome }> {
  const wanted = requiredScope ? ` (${requiredScope})` : "";
  const outcome = errorOutcome(
    `Not run: ${server} wants more rights for this${wanted}. Sign in again in the settings of MCP servers; they will be asked for.`,
  );
  const granted = await connection.login?.stepUp(requiredScope).catch(() => false);
  return granted ? { again: outcome } : outcome;
}

export const changedOutcome = () =>
  errorOutcome("Not run: its definition changed after it was judged; ask again.");

const unknownOutcome = (text: string): Outcome => ({ status: "unknown", content: [{ type: "text", text }] });
