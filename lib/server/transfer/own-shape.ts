import { z } from "zod";
import { efforts } from "@/lib/protocol/effort";
import type { RunStatus } from "@/lib/protocol/http";
import { tapeMisses } from "@/lib/protocol/tape";
import {
  agent,
  contextChoices,
  count,
  EventData,
  end,
  flows,
  id,
  Message,
  object,
  oneOf,
  planUse,
  text,
  time,
  Usage,
} from "./own-log-shape";

/**
 * What must hold of a file of ours so that nothing which reads it later meets a surprise. Fields that are not named here are
 * kept as they are: a later version may have added them.
 */

const maxMessages = 20_000;
const maxFiles = 10_000;

const ToolCallTimes = z.looseObject({
  id: text,
  name: text,
  startedAt: time.nullable(),
  durationMs: z.number().nullable(),
  status: text,
  plan: planUse,
  flows,
});

const Iteration = z.looseObject({
  index: count,
  startedAt: text,
  timeToFirstTokenMs: z.number().nullable(),
  latencyMs: z.number().nullable(),
  agent,
  usage: Usage,
  toolCalls: z.array(ToolCallTimes),
  notices: z.array(z.looseObject({ kind: text, message: text })).optional(),
});

const Options = z.looseObject({
  ...Object.fromEntries(
    ["maxIterations", "timeoutMs", "firstTokenMs", "betweenTokensMs", "toolTimeoutMs", "iterationsUsed"].map(
      (name) => [name, count.optional()],
    ),
  ),
  servers: z.array(text).optional(),
  deferred: z.record(text, z.boolean()).optional(),
  instructions: text.optional(),
  assistant: z.looseObject({ id }).optional(),
  responseSchema: object.optional(),
  budget: z.record(text, z.number()).optional(),
  rerun: z.looseObject({ call: text, as: text }).optional(),
  forkedFrom: z
    .looseObject({
      runId: id,
      seq: count,
      edit: z.looseObject({ part: text, callId: text.optional(), as: text.optional() }).nullable(),
      copied: count.optional(),
    })
    .optional(),
  editedCall: z.looseObject({ id: text, args: object }).optional(),
  isWhole: z.literal(true).optional(),
  comparison: id.optional(),
  tape: z.looseObject({ runId: id, misses: z.enum(tapeMisses) }).optional(),
  context: contextChoices.optional(),
});

export const OwnRun = z.looseObject({
  id,
  messageId: id,
  parentId: id,
  status: oneOf<RunStatus>({
    running: true,
    completed: true,
    stopped: true,
    waiting: true,
    failed: true,
    interrupted: true,
  }),
  model: text.max(300),
  agent: text.max(200).nullable(),
  continues: id.nullable(),
  startedAt: time,
  endedAt: time.nullable(),
  options: Options,
  iterations: z.array(Iteration),
  result: z.looseObject({ ...end, messages: count, finalText: text.optional() }).nullable(),
  events: z.array(z.looseObject({ seq: z.int().positive(), at: time, data: EventData })),
});

export const OwnFile = z.looseObject({
  meguri: z.literal("conversation"),
  version: z.int().positive(),
  id,
  title: text,
  createdAt: time,
  updatedAt: time,
  pinned: z.boolean(),
  archived: z.boolean(),
  project: text.nullable(),
  choice: z
    .looseObject({
      model: text.max(300).optional(),
      instructions: text.optional(),
      effort: z.enum(efforts).optional(),
      assistant: id.nullish(),
      servers: z.array(text).nullish(),
      deferred: z.record(text, z.boolean()).optional(),
      context: contextChoices.optional(),
    })
    .nullable(),
  leafId: id.nullable(),
  messages: z
    .array(
      z.looseObject({
        id,
        parentId: id.nullable(),
        createdAt: time,
        runId: id.optional(),
        model: text.max(300).optional(),
        clientMessageId: text.max(200).optional(),
        message: Message,
      }),
    )
    .max(maxMessages),
  runs: z.array(OwnRun).max(maxMessages),
  waiting: z.array(z.looseObject({ id })).max(maxMessages),
  files: z
    .array(
      z.looseObject({
        id,
        name: text.max(1_000),
        mediaType: text.max(200),
        size: count,
        createdAt: time,
        data: z.union([text, z.tuple([z.int().nonnegative(), z.int().nonnegative()])]).optional(),
        path: text.max(1_000).optional(),
      }),
    )
    .max(maxFiles),
});
