import type { CallToolResult } from "@modelcontextprotocol/client";
import type { CallContext, ToolBox, ToolSpec } from "@/lib/agent/ports";
import type { LogMessage, Progress } from "@/lib/mcp/connection/asking-calls";
import { samplingsOf, taskState } from "@/lib/mcp/questions/input-required";
import type { PendingQuestions } from "@/lib/mcp/questions/pending-questions";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import { type AnswerSource, CallAnswers } from "./call-answers";
import type { CallOptions, CallOutcome, CallTarget } from "./call-options";
import { callTool, changedOutcome } from "./call-tool";
import type { InFlightCalls } from "./in-flight-calls";
import { type OpenFiles, putFiles } from "./put-files";
import { notRunOutcome, type Outcome, unfinishedOutcome } from "./read-result";

const progressMs = 100;

/** What a tool box needs from the pool. */
export interface ToolSource {
  specs(): readonly ToolSpec[];
  /** Where a call goes. Undefined for a tool that no server offers, "changed" for one that is not what was judged. */
  find(call: ToolCall): CallTarget | "changed" | undefined;
}

export interface ToolBoxOptions extends ToolSource, AnswerSource {
  inFlight: InFlightCalls;
  /** Whose run it is. */
  person?: string | undefined;
  /** Told of each answer as it came, before it is bounded. */
  onResult?: ((callId: string, answer: CallToolResult) => void) | undefined;
  /** Told of what servers log for their calls. */
  onLog?: ((callId: string, message: LogMessage) => void) | undefined;
  /** What `attachment:<id>` in arguments stands for; without it such a text is sent as it is. */
  openFiles?: OpenFiles | undefined;
}

/**
 * The tools of the pool for one run. The intent (`tool_start`) is stored before a call is sent; a call in flight is
 * joined, never sent twice; the run's signal gives it up. Where a server asks for something, the call waits for a
 * person: on the older wire in flight, on the newer one as a stored state, which outlives the process.
 */
export function createToolBox(options: ToolBoxOptions): ToolBox {
  return {
    list: () => options.specs(),
    call: async (call, context) => {
      const { open, inFlight, onLog } = options;
      const answers = new CallAnswers(call, context, options);
      const signIn = answers.toSignIn();
      if (signIn === "open") return answers.wait(false);
      if (signIn === "declined") return { id: call.id, ...notSignedIn };
      const state = inFlight.has(call.id) ? undefined : open.get(call.id)?.state;
      const cancel = () => inFlight.release(call.id);
      context.signal.addEventListener("abort", cancel, { once: true });
      const progress = relayProgress(call, context);
      try {
        const resume = state === undefined ? {} : await answers.toState(state);
        if (resume === undefined) return answers.wait(Object.keys(samplingsOf(state ?? "{}")).length > 0);
        if (resume === "declined") return { id: call.id, ...declinedOutcome(answers.fault) };
        const result =
          inFlight.join<CallOutcome>(call.id) ??
          inFlight.start(call.id, (signal, questions) =>
            startCall(options, call, context, {
              callId: call.id,
              args: call.args,
              signal,
              run: options,
              person: options.person,
              resume,
              onProgress: progress.put,
              traceparent: context.traceparent,
              onResult: (answer) => options.onResult?.(call.id, answer),
              ...(onLog && { onLog: (message) => onLog(call.id, message) }),
              ask: (question, end) => questions.ask(question, end),
              onTask: (taskId) => context.emit({ type: "tool_state", id: call.id, state: taskState(taskId) }),
            }),
          );
        const outcome = await untilAsked(result, inFlight.questions(call.id), answers);
        progress.flush();
        if (outcome === "asked") return await answers.ask(inFlight.questions(call.id)?.pending() ?? []);
        if ("signIn" in outcome) return await answers.askToSignIn(outcome.signIn);
        if (!("inputRequired" in outcome)) return { id: call.id, ...outcome } satisfies ToolResult;
        await context.emit({ type: "tool_state", id: call.id, state: outcome.inputRequired.state });
        return await answers.ask(outcome.inputRequired.questions);
      } finally {
        context.signal.removeEventListener("abort", cancel);
        progress.stop();
      }
    },
  };
}

const notSignedIn: Outcome = {
  status: "denied",
  reason: "declined",
  content: [
    { type: "text", text: "Not run: its server wants a sign-in, and the person declined to sign in." },
  ],
};

const declinedOutcome = (why = "The person declined what the server asked for.") =>
  unfinishedOutcome("error", `Not run to its end. ${why}`);

/** Hands over the answers that have been given; "asked" as soon as a question has none. */
async function untilAsked(
  result: Promise<CallOutcome>,
  questions: PendingQuestions | undefined,
  answers: CallAnswers,
): Promise<CallOutcome | "asked"> {
  if (!questions) return result;
  while (true) {
    const next = questions.next();
    for (const question of questions.pending()) {
      const answer = await answers.to(question);
      if (answer) questions.answer(question.requestId, answer);
    }
    if (questions.pending().length > 0) return "asked";
    const outcome = await Promise.race([result, next]);
    if (outcome) return outcome;
  }
}

/** Stores the intent, then sends the call: after `kill -9` a call without an intent has not run. */
async function startCall(
  source: Pick<ToolBoxOptions, "find" | "specs" | "openFiles">,
  call: ToolCall,
  { emit, signal: run }: CallContext,
  options: CallOptions,
): Promise<CallOutcome> {
  const target = source.find(call);
  if (!target) return notRunOutcome(unknownToolInWords(call.name, source.specs()));
  if (target === "changed") return changedOutcome();
  // Known before it is sent, so nothing has to be taken back.
  if (target.needsSignIn) return { signIn: target.server };
  // A task is only followed: its server has the arguments.
  const open = options.resume?.taskId === undefined ? source.openFiles : undefined;
  const filled = await putFiles(open, target, options.args);
  if ("fault" in filled)
    return Object.keys(options.resume ?? {}).length > 0
      ? unfinishedOutcome("error", `Not run to its end: ${filled.fault}.`)
      : notRunOutcome(`Not run: ${filled.fault}.`);
  try {
    if (
      await isStopped([run, options.signal], () =>
        emit({ type: "tool_start", id: call.id, args: options.args }),
      )
    )
      return notRunOutcome("Not run: stopped before it was sent.");
    return await callTool(target, { ...options, args: filled.args });
  } finally {
    filled.release();
  }
}

/** Whether one of the signals has fired, before or while the intent was stored, or it could not be stored. */
async function isStopped(signals: readonly AbortSignal[], store: () => Promise<void>): Promise<boolean> {
  const hasFired = () => signals.some(({ aborted }) => aborted);
  try {
    if (!hasFired()) await store();
    return hasFired();
  } catch {
    return true;
  }
}

function unknownToolInWords(name: string, specs: readonly ToolSpec[]): string {
  const names = specs.map((spec) => spec.name).slice(0, 200);
  return `There is no tool ${name}. ${names.length > 0 ? `The tools are: ${names.join(", ")}.` : "No tool is ready."}`;
}

/** At most ten chunks a second, the newest value each time; fewer for a slow reader. */
function relayProgress({ id }: ToolCall, { emit }: CallContext) {
  let latest: Progress | undefined;
  let timer: NodeJS.Timeout | undefined;
  let storing = false;
  const flush = () => {
    if (!latest) return;
    const { progress, total, message } = latest;
    latest = undefined;
    storing = true;
    emit({
      type: "tool_progress",
      id,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message: message.slice(0, 1_000) }),
    })
      .catch(() => {}) // the reader has gone, which the call's result will show
      .finally(() => {
        storing = false;
      });
  };
  const tick = () => {
    timer = undefined;
    if (!latest) return;
    if (!storing) flush();
    timer = setTimeout(tick, progressMs);
  };
  return {
    put: (progress: Progress) => {
      latest = progress;
      if (timer) return;
      if (!storing) flush();
      timer = setTimeout(tick, progressMs);
    },
    flush,
    stop: () => clearTimeout(timer),
  };
}
