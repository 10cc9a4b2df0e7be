import type { StepEdit } from "@/lib/protocol/answer";
import type { ModelChunk, ToolResultChunk } from "@/lib/protocol/chunk";
import { notRun } from "@/lib/protocol/history";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall, UserMessage } from "@/lib/protocol/message";
import { passThroughAfterFirst, untilFirstChunk } from "./pass-through-after-first";
import { LoopStop, type ModelChunks, type Provider, type ToolBox, type Turn } from "./ports";
import type { StepMode } from "./step-mode";
import { verdictInWords } from "./with-budget";

export interface StepOptions {
  /** The fold of the chain's logs; a chunk of the live run is added when it is stored. */
  steps: StepMode;
  /** Looked at before each call, as it is switched while the run goes on. */
  isOn(): boolean;
}

/**
 * In step mode, asks a person before each turn of the model: the run ends `awaiting_step` and is continued with the answer,
 * and what was changed goes into the log first. Innermost of what makes a turn, so that what is asked about is what is sent.
 */
export function withModelSteps(
  provider: Provider,
  { steps, isOn, record }: StepOptions & { record?: (sent: Turn) => ModelChunk },
): Provider {
  return {
    stream(turn) {
      const step = steps.takeForModel(turn.agent);
      if (steps.isStopped) return endWith(new LoopStop("aborted"));
      if (step) return streamEdited(provider, turn, step.edit, record);
      return isOn() ? askFirst() : provider.stream(turn);
    },
  };
}

// biome-ignore lint/correctness/useYield: a stream that ends before its first chunk.
async function* endWith(stop: LoopStop): AsyncGenerator<ModelChunks> {
  throw stop;
}

async function* askFirst(): AsyncGenerator<ModelChunks> {
  yield { type: "step_request", requestId: newRequestId(), kind: "model" };
  throw new LoopStop("awaiting_step");
}

function streamEdited(
  provider: Provider,
  turn: Turn,
  edit: StepEdit,
  record: ((sent: Turn) => ModelChunk) | undefined,
): AsyncIterable<ModelChunks> {
  if (Object.keys(edit).length === 0) return provider.stream(turn);
  return passThroughAfterFirst(async function* () {
    const results = changedResults(turn, edit.results ?? []);
    for (const result of results)
      yield { type: "tool_result", result, durationMs: 0 } satisfies ToolResultChunk;
    const added: UserMessage[] = edit.message
      ? [{ role: "user", parts: [{ type: "text", text: edit.message }] }]
      : [];
    for (const message of added) yield { type: "message", message };
    const { tools: names } = edit;
    const sent: Turn = {
      ...turn,
      ...edit.params,
      ...(edit.system !== undefined && { system: edit.system }),
      ...(names && { tools: turn.tools.filter(({ name }) => names.includes(name)) }),
      history: [
        ...turn.history,
        ...(results.length > 0 ? [{ role: "tool" as const, results }] : []),
        ...added,
      ],
    };
    if (record) yield record(sent);
    return yield* untilFirstChunk(provider.stream(sent));
  });
}

/** The results as a person wants the model to read them, in place of what came. */
function changedResults({ history }: Turn, changes: NonNullable<StepEdit["results"]>) {
  const results = history.flatMap((message) => (message.role === "tool" ? message.results : []));
  return changes.flatMap(({ id, text }) => {
    const before = results.findLast((result) => result.id === id);
    if (!before) return [];
    const { structured: _, ...rest } = before;
    return { ...rest, content: [{ type: "text" as const, text }], by: "person" as const };
  });
}

/**
 * The same for calls of tools, one after another in the order in which they were asked for: while one waits, those after it
 * are queued. Outermost, so that a changed argument is checked and judged as the model's would be; a call that cannot run
 * and one that was sent before are not asked about.
 */
export function withToolSteps(
  tools: ToolBox,
  { steps, isOn, wasSent }: StepOptions & { wasSent: (id: ToolCallId) => boolean },
): ToolBox {
  /** Whether the call before waits, once that is known. */
  let before = Promise.resolve(false);

  const ask = async (
    call: ToolCall,
    context: Parameters<ToolBox["call"]>[1],
  ): ReturnType<ToolBox["call"]> => {
    const step = steps.forTool(call.id);
    if (!step && isOn() && !wasSent(call.id) && canRun(tools, call)) {
      const { id, name, args, server, tool } = call;
      const payload = {
        name,
        args,
        ...(server !== undefined && { server }),
        ...(tool !== undefined && { tool }),
      };
      await context.emit({ type: "step_request", requestId: newRequestId(), kind: "tool", id, payload });
      return { waiting: "awaiting_step" };
    }
    const { args } = step?.edit ?? {};
    if (!args) return tools.call(call, context);
    const outcome = await tools.call({ ...call, args }, context);
    return "waiting" in outcome || outcome.args ? outcome : { ...outcome, args };
  };

  return {
    list: () => tools.list(),
    async call(call, context) {
      if (steps.isStopped && !wasSent(call.id)) return notRun(call.id, verdictInWords.stop);
      if (!isOn() && !steps.forTool(call.id)) return tools.call(call, context);
      const { promise, resolve } = Promise.withResolvers<boolean>();
      const isQueued = before;
      before = promise;
      let waits = true;
      try {
        if (await isQueued) return { waiting: "awaiting_step" };
        context.signal.throwIfAborted();
        const outcome = await ask(call, context);
        waits = "waiting" in outcome;
        return outcome;
      } finally {
        // Its result is told before the next question.
        setTimeout(resolve, 0, waits);
      }
    },
  };
}

const canRun = (tools: ToolBox, { name, malformed, excess }: ToolCall): boolean =>
  malformed === undefined && !excess && tools.list().some((tool) => tool.name === name);

const newRequestId = () => `step_${crypto.randomUUID()}`;
