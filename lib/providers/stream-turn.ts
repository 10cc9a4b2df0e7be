import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { v7 as uuid } from "uuid";
import { ProviderError, type Turn } from "@/lib/agent/ports";
import type { ModelChunk, StopReason } from "@/lib/protocol/chunk";
import type { ToolCallId } from "@/lib/protocol/ids";
import type { ToolCall } from "@/lib/protocol/message";
import { cutShort, type Endpoint, toProviderError } from "./failure";
import type { PromptWriter } from "./prompt-writer";
import type { ToolWriter } from "./tool-writer";

/** A model of the SDK and what it takes to speak to it in our types. */
export interface WireModel {
  model: LanguageModelV4;
  endpoint: Endpoint;
  prompts: PromptWriter;
  tools: ToolWriter;
  options?: SharedV4ProviderOptions;
}

/** One model turn, as `Provider.stream` states it. Asks once: to try again is the business of a wrapper. */
export async function* streamTurn(wire: WireModel, turn: Turn): AsyncGenerator<ModelChunk, void> {
  const { signal } = turn;
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  const end = () => void reader?.cancel(signal.reason).catch(() => {});
  try {
    signal.throwIfAborted();
    const { stream } = await wire.model.doStream(callOptions(wire, turn));
    reader = stream.getReader();
    // Cancelling settles a read that is under way, so that no read has to be raced against the signal.
    signal.addEventListener("abort", end);
    yield* readTurn(reader, wire, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw toProviderError(error, wire.endpoint);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

function callOptions(wire: WireModel, turn: Turn): LanguageModelV4CallOptions {
  const { toolChoice, responseSchema } = turn;
  return {
    prompt: wire.prompts.write(turn),
    tools: wire.tools.write(turn.tools),
    abortSignal: turn.signal,
    ...(wire.options && { providerOptions: wire.options }),
    ...(toolChoice && {
      toolChoice:
        typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool", toolName: toolChoice.name },
    }),
    ...(responseSchema && { responseFormat: { type: "json", schema: responseSchema } }),
  };
}

async function* readTurn(
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  { endpoint, prompts }: WireModel,
  signal: AbortSignal,
): AsyncGenerator<ModelChunk, void> {
  let said = false;
  let calls = 0;
  while (true) {
    const { value: part } = await reader.read();
    signal.throwIfAborted();
    if (!part) throw cutShort(endpoint);
    switch (part.type) {
      case "text-delta":
      case "reasoning-delta": {
        const signature = signatureIn(part.providerMetadata, prompts);
        if (!part.delta && !signature) break;
        said ||= part.type === "text-delta";
        const type = part.type === "text-delta" ? "text" : "reasoning";
        yield signature ? { type, content: part.delta, signature } : { type, content: part.delta };
        break;
      }
      case "tool-call":
        calls++;
        yield { type: "tool_call", call: toToolCall(part, signatureIn(part.providerMetadata, prompts)) };
        break;
      case "error":
        throw part.error;
      case "finish":
        yield {
          type: "usage",
          stopReason: stopReason(part.finishReason, calls, said, endpoint),
          ...tokens(part.usage),
        };
        return;
      default:
      // Starts, ends, pieces of arguments, sources and metadata: nothing of it enters the history.
    }
  }
}

type Part<Type> = Extract<LanguageModelV4StreamPart, { type: Type }>;

function stopReason(
  { unified, raw }: Part<"finish">["finishReason"],
  calls: number,
  said: boolean,
  endpoint: Endpoint,
): StopReason {
  const { label } = endpoint;
  switch (unified) {
    case "stop":
    case "tool-calls":
      return calls > 0 ? "tool_use" : "end_turn";
    case "length":
      return "max_tokens";
    case "other":
      if (calls > 0) return "tool_use";
      if (said) return "end_turn";
      throw new ProviderError(
        "bad_response",
        `${label} ended without an answer (${raw ?? "no reason given"}). Try again.`,
      );
    case "content-filter":
      throw new ProviderError(
        "bad_response",
        `The safety filter of ${label} stopped this answer${raw ? ` (${raw})` : ""}. Ask in other words.`,
      );
    case "error":
      throw new ProviderError(
        "bad_response",
        raw === "MALFORMED_FUNCTION_CALL"
          ? `${label} wrote a tool call that cannot be read. Try again.`
          : `${label} ended with an error${raw ? ` (${raw})` : ""}. Try again.`,
      );
    case "interrupted":
      throw cutShort(endpoint);
  }
}

function tokens({ inputTokens, outputTokens }: Part<"finish">["usage"]) {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(inputTokens.cacheRead && { cachedInputTokens: inputTokens.cacheRead }),
  };
}

/** Providers send ids twice or none at all, so every call gets one of ours. Without dashes: OpenAI allows 40 characters. */
function toToolCall({ toolName, input }: Part<"tool-call">, signature: string | undefined): ToolCall {
  const args = parseArguments(input);
  return {
    type: "tool_call",
    id: `call_${uuid().replaceAll("-", "")}` as ToolCallId,
    name: toolName,
    args: args ?? {},
    ...(!args && { malformed: input }),
    ...(signature && { signature }),
  };
}

function parseArguments(input: string): Record<string, unknown> | undefined {
  if (!input.trim()) return {};
  try {
    const value: unknown = JSON.parse(input);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function signatureIn(
  metadata: SharedV4ProviderMetadata | undefined,
  prompts: PromptWriter,
): string | undefined {
  return metadata && prompts.signature(metadata);
}
