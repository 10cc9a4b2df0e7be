import { z } from "zod";
import type { ChatMessage } from "@/lib/protocol/message";
import { StoreError } from "./errors";

/**
 * Reads a JSON column: the schema checks what the code relies on, the value comes back whole, unknown fields included.
 * `row` names the row for people: "message 0192…". A `broken_row` StoreError when it does not fit.
 */
export function readJson<T>(row: string, text: string, schema: z.ZodType): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw brokenRow(row, (cause as Error).message, cause);
  }
  const { success, error } = schema.safeParse(value);
  if (success) return value as T;
  const [issue] = error.issues;
  throw brokenRow(
    row,
    issue ? `${issue.path.join(".") || "value"}: ${issue.message}` : "unknown form",
    error,
  );
}

/** JSON text of a value that has one; `undefined` and functions have none. */
export function writeJson(value: unknown): string {
  const text: string | undefined = JSON.stringify(value);
  if (text === undefined) throw new StoreError("invalid", "A value to be stored has no JSON form.");
  return text;
}

export const brokenRow = (row: string, reason: string, cause?: unknown) =>
  new StoreError(
    "broken_row",
    `The stored ${row} cannot be read (${reason}); restore the database from a backup, or delete what it belongs to.`,
    { cause },
  );

/** The rows that can be read; each of the others is handed to `onBrokenRow`. */
export const readEach = <Stored, Row>(
  records: readonly Stored[],
  read: (record: Stored) => Row,
  onBrokenRow: (error: StoreError) => void,
): Row[] =>
  records.flatMap((record) => {
    try {
      return [read(record)];
    } catch (cause) {
      if (!(cause instanceof StoreError) || cause.code !== "broken_row") throw cause;
      onBrokenRow(cause);
      return [];
    }
  });

const Text = z.object({ type: z.literal("text"), text: z.string() });
const Reasoning = z.object({ type: z.literal("reasoning"), text: z.string() });
const File = z
  .object({
    type: z.literal("file"),
    mediaType: z.string(),
    data: z.string().optional(),
    attachmentId: z.string().optional(),
  })
  .refine(({ data, attachmentId }) => (data === undefined) !== (attachmentId === undefined), {
    message: "has neither data nor attachmentId, or both",
  });
const Link = z.object({ type: z.literal("resource_link"), uri: z.string(), name: z.string() });
const Call = z.object({
  type: z.literal("tool_call"),
  id: z.string(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()),
});
const Result = z.object({
  id: z.string(),
  status: z.enum(["ok", "error", "denied", "unknown"]),
  content: z.array(z.discriminatedUnion("type", [Text, File, Link])),
});

/** A message without its role. */
export const MessageBody: Record<ChatMessage["role"], z.ZodType> = {
  user: z.object({ parts: z.array(z.discriminatedUnion("type", [Text, File])) }),
  summary: z.object({ text: z.string(), keep: z.number() }),
  assistant: z.object({ parts: z.array(z.discriminatedUnion("type", [Text, Reasoning, Call])) }),
  tool: z.object({ results: z.array(Result) }),
};

export const ChunkData = z.object({ type: z.string() });

const Usage = z.object({ inputTokens: z.number(), outputTokens: z.number() });

export const Choice = z.object({
  model: z.string().optional(),
  instructions: z.string().optional(),
  effort: z.string().optional(),
  assistant: z.string().nullish(),
  servers: z.array(z.string()).nullish(),
  deferred: z.record(z.string(), z.boolean()).optional(),
  allowReads: z.literal(true).optional(),
  allowed: z.array(z.string()).optional(),
  compared: z.string().optional(),
  context: z
    .record(
      z.string(),
      z.union([
        z.enum(["dropped", "pinned"]),
        z.object({ trimmed: z.number() }),
        z.object({ beside: z.string() }),
      ]),
    )
    .optional(),
});

export const AssistantBody = z.object({
  name: z.string(),
  icon: z.string(),
  description: z.string(),
  instructions: z.string(),
  model: z.string().optional(),
  effort: z.string().optional(),
  servers: z.array(z.string()).optional(),
  deferred: z.record(z.string(), z.boolean()).optional(),
  agent: z.string().optional(),
  examples: z.array(z.string()).optional(),
});

export const ProjectBody = z.object({
  name: z.string(),
  instructions: z.string(),
  assistant: z.string().optional(),
  files: z.array(z.string()),
  servers: z.array(z.string()).optional(),
});

export const PromptBody = z.object({ name: z.string(), text: z.string() });

export const RunOptionsData = z.object({});
export const RunIterations = z.array(
  z.object({ index: z.number(), usage: Usage, toolCalls: z.array(z.object({})) }),
);
export const RunResult = z
  .object({
    stopReason: z.string(),
    messages: z.number(),
    finalText: z.string().optional(),
    iterationsUsed: z.number(),
    timedOut: z.boolean(),
    usage: Usage,
  })
  .nullable();

export const Snapshot = z.object({
  title: z.string(),
  createdAt: z.string(),
  messages: z.array(z.object({ id: z.string(), role: z.string() })),
  runs: z.array(z.object({ id: z.string() })),
});

export const Limits = z.record(z.string(), z.number());

export const AnyValue = z.unknown();

export const ScheduleBody = z.object({
  errand: z.object({ name: z.string(), text: z.string(), budget: z.record(z.string(), z.number()) }),
  timing: z.object({ cron: z.string(), timeZone: z.string(), missed: z.enum(["skip", "once"]) }).nullable(),
});
export const ScheduleNoteData = z.object({ code: z.string(), at: z.number() });

export const MatrixBudget = z.object({ tokens: z.number().optional(), cost: z.number().optional() });
export const CellError = z.object({ code: z.string(), message: z.string() });
