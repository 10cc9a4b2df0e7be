import {
  type CallToolResult,
  InsufficientScopeError,
  isInputRequiredResult,
} from "@modelcontextprotocol/client";
import { type CallListener, NotSentError } from "@/lib/mcp/connection/asking-calls";
import type { Connection } from "@/lib/mcp/connection/connection";
import { explainCall } from "@/lib/mcp/connection/explain-call";
import { LostTaskError } from "@/lib/mcp/connection/tasks";
import { isGone } from "@/lib/mcp/connection/watch-health";
import { LoginNeededError } from "@/lib/mcp/oauth/login-needed-error";
import {
  isUrlsRequired,
  maxQuestions,
  type Resume,
  readInputRequired,
  readUrlsRequired,
  resumeWith,
  UnansweredError,
} from "@/lib/mcp/questions/input-required";
import { readQuestion } from "@/lib/mcp/questions/questions";
import { StdioTransport } from "@/lib/mcp/transport/stdio-transport";
import type { CallOptions, CallOutcome, CallTarget } from "./call-options";
import type { Deadline } from "./deadline";
import { errorOutcome, notRunOutcome, type Outcome, readResult, unfinishedOutcome } from "./read-result";

/** What came of one sending: how the call ended, or why it may be sent again, and the outcome where it may not. */
type Step = { outcome: CallOutcome } | { again: Reason; otherwise: Outcome; resume?: Resume };

/** Why a call may be sent again. */
export type Reason =
  /** The connection broke, and the call may be repeated. */
  | "broken"
  /** The connection broke, and the task may still be running. */
  | "brokenTask"
  /** The server refused it, and has been granted more rights. */
  | "rights"
  /** The server only asked for what this host answers itself, or to be called once more. */
  | "asked"
  /** It has become a task, which is followed from here. */
  | "task";

/** Sends a call once, or follows the task that it has become. */
export async function sendOnce(
  connection: Connection,
  target: CallTarget,
  options: CallOptions,
  deadline: Deadline,
): Promise<Step> {
  const { tool } = target;
  const { args, traceparent, resume, callId, onTask } = options;
  const listener = listenFor(options, deadline);
  try {
    if (resume?.taskId) {
      const end = await followTask(connection, options, resume, listener, deadline);
      const task = { taskId: resume.taskId, answered: resume.answered ?? [] };
      return "asks" in end
        ? requireInput(connection, target, callId, { inputRequests: end.asks }, task)
        : { outcome: take(end.result, target, options) };
    }
    const answer = await connection.calls.send(tool, args, deadline.signal, listener, {
      traceparent,
      resume,
    });
    if ("taskId" in answer) {
      const { taskId } = answer as { taskId: string };
      await onTask?.(taskId);
      return { again: "task", otherwise: cancelledOutcome(), resume: { taskId } };
    }
    if (isInputRequiredResult(answer)) return requireInput(connection, target, callId, answer);
    return { outcome: take(answer as CallToolResult, target, options) };
  } catch (cause) {
    if (cause instanceof NotSentError) return { outcome: notRunOutcome(cause.message) };
    if (cause instanceof UnansweredError) return { outcome: errorOutcome(cause.message) };
    if (isUrlsRequired(cause)) return { outcome: requireVisits(cause, callId) };
    return explainFailure(cause, connection, target, resume, deadline);
  }
}

function take(answer: CallToolResult, target: CallTarget, { onResult }: CallOptions): Outcome {
  onResult?.(answer);
  return readResult(answer, target);
}

/** Holds the deadline: a task has no time limit, only the person and the run end it. */
async function followTask(
  connection: Connection,
  { onProgress }: CallOptions,
  task: Resume,
  listener: CallListener,
  deadline: Deadline,
) {
  const release = deadline.hold();
  let count = 0;
  try {
    return await connection.calls.follow(task, deadline.signal, listener, (message) =>
      onProgress({ progress: ++count, message }),
    );
  } finally {
    release();
  }
}

function requireInput(
  { host }: Connection,
  { server }: CallTarget,
  callId: string,
  answer: Parameters<typeof readInputRequired>[0],
  task?: Pick<Resume, "taskId" | "answered">,
): Step {
  const inputRequired = readInputRequired(answer, callId, host, task);
  if (inputRequired.questions.length > 0) return { outcome: { inputRequired } };
  const resume = resumeWith(inputRequired.state, () => undefined);
  const otherwise = errorOutcome(`${server} keeps asking for the same thing.`);
  return { again: "asked", otherwise, ...(typeof resume === "object" && { resume }) };
}

function requireVisits(cause: Parameters<typeof readUrlsRequired>[0], callId: string): CallOutcome {
  try {
    return { inputRequired: readUrlsRequired(cause, callId) };
  } catch (fault) {
    return errorOutcome((fault as Error).message);
  }
}

async function explainFailure(
  cause: unknown,
  connection: Connection,
  { server, timeoutMs, repeatable }: CallTarget,
  resume: Resume | undefined,
  deadline: Deadline,
): Promise<Step> {
  if (deadline.expired) {
    const message =
      deadline.expired === "endless"
        ? `${server} was still at work after ${deadline.longestMs / 1000} s and was told to stop.`
        : `${server} did not answer within ${timeoutMs / 1000} s and was told to stop.`;
    return { outcome: unfinishedOutcome(repeatable ? "error" : "unknown", message) };
  }
  if (deadline.signal.aborted) return { outcome: cancelledOutcome() };
  if (cause instanceof LostTaskError)
    return {
      outcome: unfinishedOutcome("unknown", `${server} no longer knows the task: ${cause.message}`),
    };
  if (cause instanceof InsufficientScopeError) return stepUp(connection, server, cause);
  if (isGone(cause) || cause instanceof LoginNeededError) connection.markClosed(cause);
  // Refused with 401, so it has not run; a task goes on meanwhile.
  if (cause instanceof LoginNeededError && connection.host.signsIn) return { outcome: { signIn: server } };
  const exit = connection.transport instanceof StdioTransport ? connection.transport.exit : undefined;
  const { kind, message: told } = explainCall(cause, server, exit);
  const message = connection.withoutTokens(told);
  if (kind === "answered") return { outcome: errorOutcome(message) };
  if (resume?.taskId) return { again: "brokenTask", otherwise: unfinishedOutcome("unknown", message) };
  const otherwise = kind === "cut" ? unfinishedOutcome("unknown", message) : notRunOutcome(message);
  return repeatable ? { again: "broken", otherwise } : { outcome: otherwise };
}

/** Progress restarts the deadline; while a person is asked it is held. */
function listenFor(
  { onProgress, onMessage, onLog, ask, callId, run, person }: CallOptions,
  deadline: Deadline,
): CallListener {
  let open = 0;
  return {
    run,
    person,
    onWait: () => deadline.hold(),
    ...(onMessage && { onMessage }),
    ...(onLog && { onLog }),
    onProgress: (progress) => {
      deadline.touch();
      onProgress(progress);
    },
    onRequest: async (request) => {
      if (open >= maxQuestions)
        throw new UnansweredError(
          `The server asks more than ${maxQuestions} questions at once; ask the others when some are answered.`,
        );
      const question = ask && readQuestion(request, callId);
      if (!question) return { action: "decline" };
      const release = deadline.hold();
      open++;
      try {
        return await ask(question, deadline.signal);
      } finally {
        open--;
        release();
      }
    },
  };
}

/** The server has refused, so the call has not run and may be sent again once more rights are granted. */
async function stepUp(
  connection: Connection,
  server: string,
  { requiredScope }: InsufficientScopeError,
): Promise<Step> {
  const otherwise = notRunOutcome(rightsInWords(server, requiredScope));
  const granted = await connection.host.stepUp(requiredScope);
  return granted ? { again: "rights", otherwise } : { outcome: otherwise };
}

const rightsInWords = (server: string, scope: string | undefined) =>
  scope
    ? `Not run: ${server} wants more rights for this (${scope}). Sign in again in the settings of MCP servers; they will be asked for.`
    : `Not run: ${server} wants more rights for this. Sign in again in the settings of MCP servers; they will be asked for.`;

const cancelledOutcome = (): Outcome => ({
  status: "unknown",
  reason: "cancelled",
  content: [{ type: "text", text: "Stopped while the call was on its way; the server was told." }],
});
