import type { CallContext, ToolBox, ToolSpec } from "@/lib/agent/ports";
import type { Progress } from "@/lib/mcp/connection/calls";
import type { OnMessage } from "@/lib/mcp/connection/exchanges";
import { CallAnswers } from "@/lib/mcp/questions/call-answers";
import { type Resume, samplingsOf, taskState } from "@/lib/mcp/questions/input-required";
import type { PendingQuestions, Question, QuestionAnswer } from "@/lib/mcp/questions/pending-questions";
import type { SamplingRequest } from "@/lib/mcp/questions/sampling";
import type { ToolCall, ToolResult } from "@/lib/protocol/message";
import type { OpenCalls } from "@/lib/protocol/open-calls";
import { type CallOutcome, changedOutcome } from "./call-tool";
import type { InFlightCalls } from "./in-flight-calls";
import { errorOutcome } from "./read-result";

const progressMs = 100;

/** How a call is sent. */
export interface CallOptions {
  signal: AbortSignal;
  onProgress(progress: Progress): void;
  /** Told of the call and its answer as they go over the wire. */
  onMessage?: OnMessage;
  traceparent: string | undefined;
  /** The same object for all calls of a run. */
  run?: object;
  /** Puts a question of the server to a person. */
  ask?(question: Question, signal: AbortSignal): Promise<QuestionAnswer>;
  /** The call has become a task of the server. */
  onTask?(taskId: string): Promise<void>;
  /** The call ended in questions, which are answered now; or it is a task. */
  resume?: Resume | undefined;
}

type Send = (options: CallOptions) => Promise<CallOutcome>;

/** What a tool box needs of the pool. */
export interface ToolSource {
  specs(): readonly ToolSpec[];
  /** How the call is sent. Undefined for a tool that nobody offers, "changed" for one that is not what was judged. */
  find(call: ToolCall): Send | "changed" | undefined;
}

export interface ToolBoxOptions extends ToolSource {
  /** The fold of the chain of logs. */
  open: OpenCalls;
  inFlight: InFlightCalls;
  serverOf(tool: string): string;
  /** Lets the model write what a server asks for, after a person's yes; a `CreateMessageResult`. Rejects with a sentence. */
  sample?: ((request: SamplingRequest, context: CallContext) => Promise<Record<string, unknown>>) | undefined;
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
      const { open, inFlight } = options;
      const answers = new CallAnswers(call, context, options);
      const state = inFlight.has(call.id) ? undefined : open.get(call.id)?.state;
      const cancel = () => inFlight.release(call.id);
      context.signal.addEventListener("abort", cancel, { once: true });
      const progress = relayProgress(call, context);
      try {
        const again = state === undefined ? {} : await answers.toState(state);
        if (again === undefined) return answers.wait(Object.keys(samplingsOf(state ?? "{}")).length > 0);
        if (again === "declined") return { id: call.id, ...declinedOutcome(answers.fault) };
        const result =
          inFlight.join<CallOutcome>(call.id) ??
          inFlight.start(call.id, (signal, questions) =>
            send(options, call, context, {
              signal,
              run: options,
              onProgress: progress.put,
              traceparent: context.traceparent,
              ask: (question, end) => questions.ask(question, end),
              onTask: (taskId) => context.emit({ type: "tool_state", id: call.id, state: taskState(taskId) }),
              resume: again,
            }),
          );
        const outcome = await untilAsked(result, inFlight.questions(call.id), answers);
        progress.flush();
        if (outcome === "asked") return await answers.ask(inFlight.questions(call.id)?.pending() ?? []);
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

const declinedOutcome = (why = "The person declined what the server asked for.") =>
  errorOutcome(`Not run to its end. ${why}`);

/** Hands over the answers that are there; "asked" as soon as a question has none. */
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

async function send(
  source: ToolSource,
  call: ToolCall,
  { emit, signal: run }: CallContext,
  options: CallOptions,
): Promise<CallOutcome> {
  const { id, args } = call;
  const found = source.find(call);
  if (!found) return errorOutcome(unknownToolInWords(call.name, source.specs()));
  if (found === "changed") return changedOutcome();
  try {
    run.throwIfAborted();
    await emit({ type: "tool_start", id, args });
    run.throwIfAborted();
    options.signal.throwIfAborted();
  } catch {
    return errorOutcome("Not run: stopped before it was sent.");
  }
  return found(options);
}

function unknownToolInWords(name: string, specs: readonly ToolSpec[]): string {
  const names = specs.map((spec) => spec.name).slice(0, 200);
  return `There is no tool ${name}. ${names.length > 0 ? `The tools are: ${names.join(", ")}.` : "No tool is ready."}`;
}

/** At most ten chunks a second, the newest value each time; whoever reads too slowly gets fewer. */
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
      .catch(() => {}) // the reader has gone; the call's result says so soon enough
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
