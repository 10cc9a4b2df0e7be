import { z } from "zod";
import { findSchemaProblem } from "@/lib/protocol/check-schema";
import { planLimits } from "@/lib/protocol/plan";
import { decisionNames, inputActionNames } from "@/lib/protocol/questions";
import { deferred, servers } from "./conversations";
import {
  anyObject,
  clientMessageId,
  EmptyBody,
  id,
  instructions,
  knobs,
  maxText,
  modelId,
  name,
  object,
  type Route,
} from "./fields";
import { budget } from "./settings";

const maxArgs = 500_000;
const maxAttachments = 10;

/** Of the answer: an object at its root, which is what providers take. */
const responseSchema = object.superRefine((schema, context) => {
  const problem =
    findSchemaProblem(schema) ??
    (schema.type === "object" ? undefined : 'its root must be of "type": "object"');
  if (problem) context.addIssue({ code: "custom", message: problem });
});

/** What a workflow agent begins with. */
const agentState = anyObject.superRefine((state, context) => {
  const wrong = Object.entries(state).find(([, value]) => typeof value !== "string" || value.length > 20_000);
  if (wrong)
    context.addIssue({
      code: "custom",
      path: [wrong[0]],
      message: "must be text of at most 20000 characters",
    });
  if (Object.keys(state).length > 50)
    context.addIssue({ code: "custom", message: "may have at most 50 keys" });
});

export const ChatBody = z
  .strictObject({
    conversationId: id.optional(),
    projectId: id.optional(),
    temporary: z.boolean().optional(),
    parentId: id.nullable().optional(),
    message: z
      .strictObject({
        text: z.string().trim().max(maxText),
        attachments: z.array(z.strictObject({ id })).max(maxAttachments).optional(),
      })
      .refine(({ text, attachments }) => text !== "" || attachments?.length, {
        path: ["text"],
        message: "must not be empty",
      })
      .optional(),
    regenerate: id.optional(),
    fromCall: name.optional(),
    clientMessageId: clientMessageId.optional(),
    model: modelId.optional(),
    compare: z
      .array(modelId)
      .min(2)
      .max(3)
      .refine((models) => new Set(models).size === models.length, "must name each model once")
      .optional(),
    instructions: instructions.optional(),
    assistant: id.nullable().optional(),
    agent: name.optional(),
    state: agentState.optional(),
    servers: servers.nullable().optional(),
    deferred: deferred.optional(),
    options: z
      .strictObject({
        maxIterations: z.int().min(1).max(100).optional(),
        timeoutMs: z.int().min(1000).max(3_600_000).optional(),
        toolExecution: z.enum(["parallel", "sequential"]).optional(),
        budget: budget.optional(),
        responseSchema: responseSchema.optional(),
        effort: knobs.effort.optional(),
        temperature: knobs.temperature.optional(),
        maxOutputTokens: knobs.maxOutputTokens.optional(),
        step: z.boolean().optional(),
        plan: z.boolean().optional(),
        recordWire: z.boolean().optional(),
      })
      .optional(),
  })
  .refine(({ conversationId, parentId }) => conversationId !== undefined || !parentId, {
    path: ["conversationId"],
    message: "name the conversation that parentId belongs to",
  })
  .refine(({ conversationId, projectId }) => conversationId === undefined || projectId === undefined, {
    path: ["projectId"],
    message: "goes with a new conversation only; PATCH moves one that is there",
  })
  .refine(({ message, regenerate }) => (message === undefined) !== (regenerate === undefined), {
    path: ["message"],
    message: "send one of message and regenerate",
  })
  .refine(({ agent, options }) => agent === undefined || options?.responseSchema === undefined, {
    path: ["options", "responseSchema"],
    message: "goes without agent: an agent's parts answer in words",
  })
  .refine(({ agent, state }) => state === undefined || agent !== undefined, {
    path: ["state"],
    message: "goes with agent only, which says what it takes",
  })
  .refine(({ fromCall, regenerate }) => fromCall === undefined || regenerate !== undefined, {
    path: ["fromCall"],
    message: "goes with regenerate only, which names a message of the call's answer",
  })
  .refine(({ fromCall, agent }) => fromCall === undefined || agent === undefined, {
    path: ["fromCall"],
    message: "goes without agent: a call runs again by itself only where the model answers",
  })
  .refine(({ compare, message }) => compare === undefined || message !== undefined, {
    path: ["compare"],
    message: "goes with message only: each model gets a question of its own",
  })
  .refine(({ compare, model, agent }) => compare === undefined || (model ?? agent) === undefined, {
    path: ["compare"],
    message: "goes without model and agent: it names who answers",
  })
  .refine(({ clientMessageId, regenerate }) => clientMessageId === undefined || regenerate === undefined, {
    path: ["clientMessageId"],
    message: "goes with message only",
  });

/** What is changed of a call that waits in step mode. */
const stepEdit = z
  .strictObject({
    system: z.string().optional(),
    params: z
      .strictObject({
        effort: knobs.effort.optional(),
        temperature: knobs.temperature.optional(),
        maxOutputTokens: knobs.maxOutputTokens.optional(),
      })
      .optional(),
    tools: z.array(name).max(1000).optional(),
    message: z.string().trim().min(1).max(maxText).optional(),
    results: z
      .array(z.strictObject({ id: z.string().min(1).max(200), text: z.string() }))
      .max(50)
      .optional(),
    args: anyObject.optional(),
  })
  .refine((edit) => JSON.stringify(edit).length <= maxArgs, `may have at most ${maxArgs} characters`);

/** What a person leaves of a plan; whether it only makes it narrower is looked at beside the proposal. */
const planLeft = z
  .strictObject({
    steps: z
      .array(
        z.strictObject({
          tool: name,
          max: z.int().min(1).max(planLimits.max),
          fixed: anyObject.optional(),
        }),
      )
      .max(planLimits.steps),
  })
  .refine((plan) => JSON.stringify(plan).length <= maxArgs, `may have at most ${maxArgs} characters`)
  .transform(({ steps }) => ({ steps: steps.map(({ fixed = {}, ...step }) => ({ ...step, fixed })) }));

export const RunPatch = z.strictObject({ step: z.boolean() });

export const AnswerBody = z.strictObject({
  requestId: z.string().min(1).max(200),
  decision: z.enum(decisionNames).optional(),
  args: anyObject
    .refine((args) => JSON.stringify(args).length <= maxArgs, `may have at most ${maxArgs} characters`)
    .optional(),
  reason: z.string().max(4000).optional(),
  result: z.string().max(maxText).optional(),
  action: z.enum(inputActionNames).optional(),
  content: anyObject
    .refine((content) => JSON.stringify(content).length <= maxArgs, `may have at most ${maxArgs} characters`)
    .optional(),
  budget: budget.optional(),
  payload: stepEdit.optional(),
  plan: planLeft.optional(),
  addToPlan: z.literal(true).optional(),
});

/** Bytes of a message that is sent into an answer, with what names its files. */
export const maxQueuedBytes = 256 * 1024;

const queued = {
  text: z.string().trim().max(maxText),
  attachments: z.array(z.strictObject({ id })).max(maxAttachments).optional(),
  clientMessageId,
};
const hasWords = ({ text, attachments }: { text: string; attachments?: unknown[] | undefined }) =>
  text !== "" || Boolean(attachments?.length);
const noWords = { path: ["text"], message: "must not be empty" };

export const QueuedBody = z
  .strictObject({ ...queued, when: z.enum(["next_turn", "after"]) })
  .refine(hasWords, noWords);

export const QueuedPatch = z.strictObject({
  text: queued.text.optional(),
  when: z.enum(["next_turn", "after"]).optional(),
  before: id.nullable().optional(),
});

// biome-ignore lint/suspicious/noThenProperty: the name in the API; it is never a function.
export const StopBody = z.strictObject({ then: z.strictObject(queued).refine(hasWords, noWords).optional() });

export const CancelBody = z.strictObject({ callId: name });

const maxOthers = 5;
const otherRun = /^([\w-]{1,80})(?::(\d{1,15}))?$/;

/** `with`: other runs on the same connection, each with the number of the last event that is known of it. */
export const StreamQuery = z.strictObject({
  after: z.coerce.number().int().min(0).optional(),
  with: z
    .string()
    .transform((value) => value.split(",").map((other) => otherRun.exec(other)))
    .refine(
      (others) => others.length <= maxOthers && others.every((found) => found !== null),
      `must name at most ${maxOthers} other runs as id:number, separated by commas`,
    )
    .transform((others) =>
      others.flatMap((found) => (found ? { id: found[1] ?? "", after: Number(found[2] ?? 0) } : [])),
    )
    .optional(),
});

export const chatRoutes: Route[] = [
  ["post", "/api/chat", "Stores a message, starts its run and streams it (text/event-stream)", ChatBody],
  ["get", "/api/runs/{id}", "A run with its loops, timings and open questions"],
  ["patch", "/api/runs/{id}", "Switches step mode on or off for a run that goes on or waits", RunPatch],
  [
    "get",
    "/api/runs/{id}/stream",
    "Events after Last-Event-ID or ?after=, then live ones, then `end`; ?with= adds those of other runs",
  ],
  ["get", "/api/runs/{id}/events", "The whole log as JSON lines"],
  [
    "get",
    "/api/runs/{id}/requests/{index}",
    "What the model was sent in a turn of the run, counted from 1: system prompt, tools, messages and parameters",
  ],
  ["get", "/api/runs/{id}/files/{file}", "What is known of a file that a call of the run names"],
  ["post", "/api/runs/{id}/cancel", "Gives up one call that is under way; the run goes on", CancelBody],
  [
    "post",
    "/api/runs/{id}/stop",
    "Ends the run, its model request and its MCP calls; with `then` it asks that next",
    StopBody,
  ],
  ["post", "/api/runs/{id}/messages", "Steers the run, or queues a question behind its answer", QueuedBody],
  ["get", "/api/runs/{id}/messages", "What waits behind the answer, in order"],
  ["patch", "/api/runs/{id}/messages/{messageId}", "Changes a message that waits", QueuedPatch],
  ["delete", "/api/runs/{id}/messages/{messageId}", "Takes a message back that waits"],
  ["post", "/api/runs/{id}/answer", "Answers a question of the run", AnswerBody],
  ["delete", "/api/runs/{id}/plan", "Takes back the plan that was approved: its calls ask again"],
  ["post", "/api/runs/{id}/resume", "Continues an interrupted, stopped or limit-ended run", EmptyBody],
  [
    "post",
    "/api/attachments",
    "Stores the raw body as a file that messages can name; X-Filename says how it is called",
  ],
  ["get", "/api/attachments/{id}", "The bytes of a file"],
];
