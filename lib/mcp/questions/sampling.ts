import { z } from "zod";
import { countParts } from "@/lib/protocol/count-parts";

/** In one request, text and files together. */
const maxCharacters = 1024 * 1024;
const maxTokens = 32_000;

const text = z.object({ type: z.literal("text"), text: z.string() });
const file = z.object({ type: z.enum(["image", "audio"]), data: z.string(), mimeType: z.string() });
const toolUse = z.object({
  type: z.literal("tool_use"),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
});
const toolResult = z.object({
  type: z.literal("tool_result"),
  toolUseId: z.string(),
  content: z.array(z.union([text, file])).catch([]),
  isError: z.boolean().optional(),
});
const block = z.discriminatedUnion("type", [text, file, toolUse, toolResult]);

/** What is read of `sampling/createMessage`. Model preferences are not: the model is that of the conversation. */
export const samplingSchema = z.object({
  systemPrompt: z.string().optional(),
  messages: z
    .array(
      z.object({
        role: z.enum(["user", "assistant"]),
        content: z.union([block.transform((one) => [one]), z.array(block)]),
      }),
    )
    .min(1)
    .max(200),
  maxTokens: z.number().transform((count) => Math.min(maxTokens, Math.max(1, Math.trunc(count)))),
  tools: z
    .array(
      z.object({
        name: z.string(),
        description: z.string().default(""),
        inputSchema: z.record(z.string(), z.unknown()),
      }),
    )
    .max(100)
    .optional(),
  toolChoice: z.object({ mode: z.enum(["auto", "required", "none"]).optional() }).optional(),
});

/** What a server wants the model to write. */
export type SamplingRequest = z.output<typeof samplingSchema>;
export type SamplingBlock = SamplingRequest["messages"][number]["content"][number];

/** Undefined for what is not a request, or is too large. */
export function readSampling(params: unknown): SamplingRequest | undefined {
  if (countParts(params, 40, maxCharacters) === undefined) return undefined;
  return samplingSchema.safeParse(params).data;
}

const writtenSchema = z.object({
  role: z.literal("assistant"),
  model: z.string().max(500),
  stopReason: z.string().max(100).optional(),
  content: z.union([block, z.array(block).min(1)]),
});

/** What a model has written for a server, as a client says it (`CreateMessageResult`); undefined for anything else. */
export function readWritten(result: unknown): Record<string, unknown> | undefined {
  if (countParts(result, 40, maxCharacters) === undefined) return undefined;
  return writtenSchema.safeParse(result).data;
}

/** Lets through so many a minute. */
export class RateLimit {
  private readonly times: number[] = [];
  constructor(private readonly perMinute: number) {}

  take(now = Date.now()): boolean {
    while (this.times[0] !== undefined && this.times[0] <= now - 60_000) this.times.shift();
    if (this.times.length >= this.perMinute) return false;
    this.times.push(now);
    return true;
  }
}
