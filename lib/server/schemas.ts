import { z } from "zod";
import { findSchemaProblem } from "@/lib/protocol/check-schema";
import type { Budget } from "@/lib/protocol/chunk";
import type { ModelTraits } from "@/lib/protocol/http";
import { anyObject } from "./any-object";
import { notYet } from "./not-yet";

/** Longest question, in UTF-16 code units. */
const maxText = 400_000;
const maxArgs = 500_000;
const maxAttachments = 10;

const id = z.string().min(1).max(64);
const name = z.string().min(1).max(200);
const object = z.record(z.string(), z.unknown());

const maxServers = 200;
const servers = z.array(name).max(maxServers);
const deferred = z
  .record(name, z.boolean())
  .refine((choice) => Object.keys(choice).length <= maxServers, `may name at most ${maxServers} servers`);

/** Of a run and those that continue it. */
const budget = z
  .strictObject({
    tokens: z.int().min(1).max(1_000_000_000).optional(),
    toolCalls: z.int().min(1).max(10_000).optional(),
    cost: z.number().positive().max(100_000).optional(),
    timeMs: z.int().min(1_000).max(86_400_000).optional(),
  })
  .refine((limits) => Object.values(limits).some((limit) => limit !== undefined), {
    message: "name at least one of tokens, toolCalls, cost and timeMs",
  })
  .transform(
    ({ tokens, toolCalls, cost, timeMs }): Budget => ({
      ...(tokens !== undefined && { tokens }),
      ...(toolCalls !== undefined && { toolCalls }),
      ...(cost !== undefined && { cost }),
      ...(timeMs !== undefined && { timeMs }),
    }),
  );

/** Of the answer: an object at its root, which is what providers take. */
const responseSchema = object.superRefine((schema, context) => {
  const problem =
    findSchemaProblem(schema) ??
    (schema.type === "object" ? undefined : 'its root must be of "type": "object"');
  if (problem) context.addIssue({ code: "custom", message: problem });
});

export const ChatBody = z
  .strictObject({
    conversationId: id.optional(),
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
    clientMessageId: z.string().min(1).max(100).optional(),
    model: z
      .string()
      .regex(/^[a-z]+\/.+$/, 'must be "provider/name"')
      .max(300)
      .optional(),
    agent: name.optional(),
    servers: servers.optional(),
    deferred: deferred.optional(),
    options: z
      .strictObject({
        maxIterations: z.int().min(1).max(100).optional(),
        timeoutMs: z.int().min(1000).max(3_600_000).optional(),
        toolExecution: z.enum(["parallel", "sequential"]).optional(),
        budget: budget.optional(),
        responseSchema: responseSchema.optional(),
      })
      .optional(),
  })
  .refine(({ conversationId, parentId }) => conversationId !== undefined || !parentId, {
    path: ["conversationId"],
    message: "name the conversation that parentId belongs to",
  })
  .refine(({ message, regenerate }) => (message === undefined) !== (regenerate === undefined), {
    path: ["message"],
    message: "send one of message and regenerate",
  })
  .refine(({ agent, options }) => agent === undefined || options?.responseSchema === undefined, {
    path: ["options", "responseSchema"],
    message: "goes without agent: an agent's parts answer in words",
  })
  .refine(({ fromCall, regenerate }) => fromCall === undefined || regenerate !== undefined, {
    path: ["fromCall"],
    message: "goes with regenerate only, which names a message of the call's answer",
  })
  .refine(({ fromCall, agent }) => fromCall === undefined || agent === undefined, {
    path: ["fromCall"],
    message: "goes without agent: a call runs again by itself only where the model answers",
  })
  .refine(({ clientMessageId, regenerate }) => clientMessageId === undefined || regenerate === undefined, {
    path: ["clientMessageId"],
    message: "goes with message only",
  });

export const AnswerBody = z.strictObject({
  requestId: z.string().min(1).max(200),
  decision: z
    .enum([
      "approve",
      "approve_run",
      "approve_always",
      "deny",
      "retry",
      "done",
      "skip",
      "more",
      "finish",
      "stop",
    ])
    .optional(),
  args: anyObject
    .refine((args) => JSON.stringify(args).length <= maxArgs, `may have at most ${maxArgs} characters`)
    .optional(),
  reason: z.string().max(4000).optional(),
  result: z.string().max(maxText).optional(),
  action: z.enum(["accept", "decline", "cancel"]).optional(),
  content: anyObject
    .refine((content) => JSON.stringify(content).length <= maxArgs, `may have at most ${maxArgs} characters`)
    .optional(),
  budget: budget.optional(),
});

export const EmptyBody = z.strictObject({});

export const CancelBody = z.strictObject({ callId: name });

export const ConversationBody = z.strictObject({ title: z.string().trim().min(1).max(200).optional() });

export const ConversationPatch = z.strictObject({
  title: z.string().trim().min(1, "must not be empty").max(200).optional(),
  pinned: z.boolean().optional(),
  leafId: id.optional(),
  choice: z.strictObject({ servers: servers.nullable(), deferred }).optional(),
});

/** `limit` and `cursor` of every list. */
export const PageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  cursor: z.string().max(500).optional(),
});

export const BranchQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(200).default(50),
  before: id.optional(),
});

export const StreamQuery = z.strictObject({ after: z.coerce.number().int().min(0).optional() });

export const ShareBody = z.strictObject({
  leafId: id.optional(),
  policy: notYet("policy"),
  replay: notYet("replay"),
  expiresAt: z.iso.datetime().nullable().optional(),
  redact: z.boolean().optional(),
  accept: z.boolean().optional(),
  dryRun: z.boolean().optional(),
});

export const SharePatch = z.strictObject({
  refresh: z.boolean().optional(),
  redact: z.boolean().optional(),
  accept: z.boolean().optional(),
  expiresAt: z.iso.datetime().nullable().optional(),
});

const rule = z.strictObject({
  pattern: z
    .string()
    .regex(/^mcp:[^:]+:.+$/, 'must look like "mcp:<server>:<tool>"')
    .max(500),
  effect: z.enum(["allow", "ask", "deny"]),
});

const address = z
  .url({ protocol: /^https?$/, error: "must be a http:// or https:// address" })
  .max(500)
  .refine((text) => !/^https?:\/\/[^/]*@/.test(text), "must not hold a user name or password");

export const ProviderAccess = z.strictObject({
  apiKey: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(500)
    .regex(/^[\x21-\x7e]+$/, "must be the key alone, without spaces")
    .optional(),
  baseURL: address.nullable().optional(),
});

/** A million tokens for more than this is a typing error. */
const dollars = z.number().min(0).max(10_000);

const price = z.strictObject({ input: dollars, cachedInput: dollars.optional(), output: dollars });

const waitMs = z.int().min(1_000).max(3_600_000);

const limits = z.strictObject({
  maxIterations: z.int().min(1).max(100).optional(),
  timeoutMs: waitMs.optional(),
  firstTokenMs: waitMs.optional(),
  betweenTokensMs: waitMs.optional(),
  toolTimeoutMs: waitMs.optional(),
  toolExecution: z.enum(["parallel", "sequential"]).optional(),
  budget: budget.optional(),
});

const modelId = z
  .string()
  .regex(/^[a-z]+\/.+$/, 'must be "provider/name"')
  .max(300);

const traits = z
  .strictObject({ toolCalls: z.enum(["own", "json"]).optional(), images: z.boolean().optional() })
  .transform(
    ({ toolCalls, images }): ModelTraits => ({
      ...(toolCalls && { toolCalls }),
      ...(images !== undefined && { images }),
    }),
  );

export const SettingsPatch = z.strictObject({
  rules: z.array(rule).max(1000).optional(),
  defaultModel: z.string().max(300).nullable().optional(),
  /** null removes what was entered; the environment counts again. */
  providers: z
    .partialRecord(z.enum(["google", "openai", "anthropic", "ollama"]), ProviderAccess.nullable())
    .optional(),
  limits: limits.optional(),
  /** What is said of each model; null takes it back. */
  models: z.record(modelId, traits.nullable()).optional(),
  prices: z
    .record(modelId, price)
    .refine((table) => Object.keys(table).length <= 500, "may have at most 500 prices")
    .optional(),
});
