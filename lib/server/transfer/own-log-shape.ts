import { z } from "zod";
import type { Chunk, LoopStopReason } from "@/lib/protocol/chunk";
import { maxContextChoices, maxContextId } from "@/lib/protocol/context-choice";
import type { ToolResult } from "@/lib/protocol/message";

/** What must hold of the messages and of the events of runs in a file of ours; see `own-shape.ts`. */

/** All words of a union: without one that is added there, this does not compile, and our own files would be broken. */
export const oneOf = <Word extends string>(words: Record<Word, true>) => z.enum(Object.keys(words) as Word[]);

export const id = z.string().min(1).max(64);
export const text = z.string();
export const time = z.iso.datetime();
export const count = z.number().min(0).max(1e15);
/** Epoch ms that a date can be made of. */
const moment = z.number().min(0).max(8.64e15);
/** Path of a workflow agent. */
export const agent = text.max(1_000).optional();
/** What was chosen for parts of the context, as many as can be chosen here. */
export const contextChoices = z
  .record(
    text.max(maxContextId),
    z.union([
      z.enum(["dropped", "pinned"]),
      z.strictObject({ trimmed: z.int().positive() }),
      z.strictObject({ beside: id }),
    ]),
  )
  .refine((chosen) => Object.keys(chosen).length <= maxContextChoices, "names too many parts");
export const object = z.record(z.string(), z.unknown());

/** Where a call counts in a plan. */
export const planUse = z.looseObject({ id: text, step: count }).optional();
const PlanStep = z.looseObject({ tool: text, max: count, fixed: object, used: count });

const TextPart = z.looseObject({ type: z.literal("text"), text, signature: text.optional() });
const ReasoningPart = z.looseObject({ type: z.literal("reasoning"), text, signature: text.optional() });
const FilePart = z
  .looseObject({
    type: z.literal("file"),
    mediaType: text,
    name: text.optional(),
    data: text.optional(),
    attachmentId: id.optional(),
    size: count.optional(),
  })
  .refine(
    ({ data, attachmentId }) => (data === undefined) !== (attachmentId === undefined),
    "must have either data or attachmentId",
  );
const LinkPart = z.looseObject({ type: z.literal("resource_link"), uri: text, name: text });
const Call = z.looseObject({
  type: z.literal("tool_call"),
  id: text,
  name: text,
  args: object,
  malformed: text.optional(),
  server: text.optional(),
  tool: text.optional(),
});
const Result = z.looseObject({
  id: text,
  status: oneOf<ToolResult["status"]>({ ok: true, error: true, denied: true, unknown: true }),
  content: z.array(z.discriminatedUnion("type", [TextPart, FilePart, LinkPart])),
  args: object.optional(),
});

export const Message = z.discriminatedUnion("role", [
  z.looseObject({
    role: z.literal("user"),
    agent,
    parts: z.array(z.discriminatedUnion("type", [TextPart, FilePart])),
  }),
  z.looseObject({ role: z.literal("summary"), agent, text, keep: count }),
  z.looseObject({
    role: z.literal("assistant"),
    agent,
    parts: z.array(z.discriminatedUnion("type", [TextPart, ReasoningPart, Call])),
  }),
  z.looseObject({ role: z.literal("tool"), agent, results: z.array(Result) }),
]);

export const Usage = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count.optional(),
  cost: count.optional(),
});

const stopReason = oneOf<LoopStopReason>({
  end_turn: true,
  max_tokens: true,
  awaiting_approval: true,
  awaiting_input: true,
  awaiting_step: true,
  budget: true,
  max_iterations: true,
  timeout: true,
  aborted: true,
  interrupted: true,
  error: true,
});

export const end = {
  stopReason,
  iterationsUsed: count,
  timedOut: z.boolean(),
  usage: Usage,
  error: z.looseObject({ code: text, message: text, retryAt: moment.optional() }).optional(),
  steps: z.array(z.looseObject({ agent: text, event: z.enum(["end", "escalate"]) })).optional(),
};

export const flows = z
  .array(z.looseObject({ server: text, tool: text, argument: text, characters: count, excerpt: text }))
  .optional();

/** By its kind, what a fold of the log relies on. */
const chunks: Record<Chunk["type"], z.ZodType> = {
  iteration: z.looseObject({ index: count }),
  request: z.looseObject({
    system: text.nullable(),
    tools: text.nullable(),
    params: object,
    model: text.optional(),
    window: count.optional(),
    wire: text.optional(),
    contents: z.record(text, text).optional(),
  }),
  text: z.looseObject({ content: text }),
  reasoning: z.looseObject({ content: text }),
  tool_input: z.looseObject({ id: text, name: text, content: text }),
  tool_call: z.looseObject({ call: Call }),
  tool_start: z.looseObject({ id: text, args: object, plan: planUse, flows }),
  tool_progress: z.looseObject({ id: text, progress: z.number() }),
  tool_state: z.looseObject({ id: text, state: text }),
  tool_result: z.looseObject({ result: Result, durationMs: count }),
  approval_request: z.looseObject({
    requestId: text,
    call: Call,
    reason: text,
    flows,
    plan: z.looseObject({ steps: z.array(PlanStep) }).optional(),
    outside: z
      .looseObject({ why: text, step: count.optional(), arguments: z.array(text).optional() })
      .optional(),
  }),
  input_request: z.looseObject({ requestId: text, id: text, server: text, message: text }),
  budget_request: z.looseObject({
    requestId: text,
    limit: text,
    of: z.number(),
    used: z.record(text, z.number()),
  }),
  step_request: z.discriminatedUnion("kind", [
    z.looseObject({ kind: z.literal("model"), requestId: text }),
    z.looseObject({
      kind: z.literal("tool"),
      requestId: text,
      id: text,
      payload: z.looseObject({ name: text, args: object }),
    }),
  ]),
  answer: z.looseObject({ requestId: text, answer: object }),
  message: z.looseObject({ message: Message }),
  notice: z.looseObject({ kind: text, message: text, until: moment.optional() }),
  usage: Usage,
  agent: z.looseObject({ name: text, event: text }),
  result: z.looseObject({
    result: z.looseObject({ ...end, historyDelta: z.array(Message), finalText: text }),
  }),
};

export const EventData = z
  .looseObject({ type: text.max(100), at: moment.optional(), agent })
  .superRefine((chunk, context) => {
    const schema = Object.hasOwn(chunks, chunk.type) ? chunks[chunk.type as Chunk["type"]] : undefined;
    // A kind that only a newer version knows changes no fold.
    for (const { path, message } of schema?.safeParse(chunk).error?.issues ?? [])
      context.addIssue({ code: "custom", path, message });
  });
