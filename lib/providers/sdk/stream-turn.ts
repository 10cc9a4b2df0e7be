import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
  SharedV4ProviderOptions,
  SharedV4Warning,
} from "@ai-sdk/provider";
import type { Turn } from "@/lib/agent/ports";
import { beforeProviderRead } from "@/lib/faults/fault-points";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { ModelKnobs } from "@/lib/protocol/settings";
import { cutUsage } from "@/lib/providers/faults/cut-usage";
import { readEnding } from "@/lib/providers/faults/endings";
import { cutShort, type Endpoint, toProviderError } from "@/lib/providers/faults/failure";
import { leftOut } from "@/lib/providers/faults/without-refused-knobs";
import { recordRequestsOf } from "@/lib/providers/shared/recorded-wire";
import type { PromptWriter } from "./prompt-writer";
import type { ToolWriter } from "./tool-writer";
import { type Part, WrittenCalls } from "./written-calls";

/** A model of the SDK and what it takes to speak to it in our types. */
export interface WireModel {
  model: LanguageModelV4;
  endpoint: Endpoint;
  prompts: Pick<PromptWriter, "write" | "signature">;
  tools: Pick<ToolWriter, "write">;
  options?: SharedV4ProviderOptions;
  /** Those of the turn that this model takes; all of them unless given. */
  knobs?: ModelKnobs;
  /** Features that the SDK has left out before, so that each is told of once. */
  leftOut?: Set<string>;
  /** Its calls come whole, and the SDK takes them apart again. */
  wholeCalls?: true;
  /** A text or thought has its signature where it ends; what stands there before is not final. */
  signedAtEnd?: true;
  /** The provider's reason to end, where the SDK does not say all of it. */
  readReason?(reason: LanguageModelV4FinishReason): LanguageModelV4FinishReason;
}

/** One model turn, as `Provider.stream` states it. Asks once: to try again is the business of a wrapper. */
export async function* streamTurn(wire: WireModel, turn: Turn): AsyncGenerator<ModelChunk, void> {
  const { signal } = turn;
  let reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart> | undefined;
  const end = () => void reader?.cancel(signal.reason).catch(() => {});
  const failed = new AbortController();
  try {
    signal.throwIfAborted();
    const ends = AbortSignal.any([signal, failed.signal]);
    if (turn.wire) recordRequestsOf(ends, turn.wire, wire.endpoint);
    const options = callOptions(wire, turn, ends);
    const { stream } = await wire.model.doStream(options);
    reader = stream.getReader();
    // Cancelling settles a read that is under way, so that no read has to be raced against the signal.
    signal.addEventListener("abort", end);
    const seen = { said: false, calls: 0 };
    const written = new WrittenCalls();
    while (true) {
      const { value: part } = await reader.read();
      signal.throwIfAborted();
      beforeProviderRead?.();
      if (!part) throw cutShort(wire.endpoint);
      if (part.type === "finish") return yield* finish(part, seen, wire);
      const chunk = toChunk(part, wire, written);
      if (!chunk) continue;
      if (chunk.type === "tool_input" && written.isTooLarge) {
        yield* written.cut();
        return yield cutUsage(JSON.stringify([options.prompt, options.tools]), written.size);
      }
      if (chunk.type === "tool_call") seen.calls++;
      else seen.said ||= chunk.type === "text";
      yield chunk;
    }
  } catch (error) {
    // An SDK that fails before it hands out its stream may go on reading the answer.
    failed.abort(error);
    signal.throwIfAborted();
    throw toProviderError(error, wire.endpoint);
  } finally {
    signal.removeEventListener("abort", end);
    end();
  }
}

function callOptions(wire: WireModel, turn: Turn, abortSignal: AbortSignal): LanguageModelV4CallOptions {
  const { toolChoice, responseSchema } = turn;
  const { effort, temperature, maxOutputTokens, topP, seed } = wire.knobs ?? turn;
  return {
    prompt: wire.prompts.write(turn),
    tools: wire.tools.write(turn.tools),
    abortSignal,
    ...(wire.options && { providerOptions: wire.options }),
    // The SDK knows what each model takes for it: a level, a budget, an effort of its own.
    ...(effort !== undefined && { reasoning: effort }),
    ...(temperature !== undefined && { temperature }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(topP !== undefined && { topP }),
    ...(seed !== undefined && { seed }),
    ...(toolChoice && {
      toolChoice:
        typeof toolChoice === "string" ? { type: toolChoice } : { type: "tool", toolName: toolChoice.name },
    }),
    ...(responseSchema && { responseFormat: { type: "json", schema: responseSchema } }),
  };
}

/** The chunks of a part; ends, sources and metadata have none. */
function toChunk(
  part: LanguageModelV4StreamPart,
  { prompts, wholeCalls, signedAtEnd, leftOut: told }: WireModel,
  written: WrittenCalls,
): ModelChunk | undefined {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- the SDK's parts; new ones are passed over
  switch (part.type) {
    case "stream-start": {
      const knob = told && knobsLeftOut(part.warnings).find((each) => !told.has(each));
      if (!knob) return undefined;
      told.add(knob);
      return leftOut(knob);
    }
    case "text-delta":
    case "reasoning-delta": {
      const signature = signedAtEnd ? undefined : signatureIn(part.providerMetadata, prompts);
      if (!part.delta && !signature) return undefined;
      const type = part.type === "text-delta" ? "text" : "reasoning";
      return signature ? { type, content: part.delta, signature } : { type, content: part.delta };
    }
    case "reasoning-start": {
      // The paragraphs of one thought come as parts, numbered from 0.
      if (signedAtEnd) return /:[1-9]\d*$/.test(part.id) ? { type: "reasoning", content: "\n\n" } : undefined;
      // Thoughts that the provider hides are nothing but their token.
      const signature = signatureIn(part.providerMetadata, prompts);
      return signature ? { type: "reasoning", content: "", signature } : undefined;
    }
    case "text-end":
    case "reasoning-end": {
      const signature = signedAtEnd && signatureIn(part.providerMetadata, prompts);
      const type = part.type === "text-end" ? "text" : "reasoning";
      return signature ? { type, content: "", signature } : undefined;
    }
    case "tool-input-start":
      return wholeCalls ? undefined : written.begin(part);
    case "tool-input-delta":
      return part.delta && !wholeCalls ? written.add(part) : undefined;
    case "tool-call": {
      const signature = signatureIn(part.providerMetadata, prompts);
      if (wholeCalls) written.size += part.input.length;
      return { type: "tool_call", call: written.end(part, signature) };
    }
    case "error":
      throw part.error;
    default:
      return undefined;
  }
}

/** One that is merely too high is sent as the highest that there is. */
const knobsLeftOut = (warnings: readonly SharedV4Warning[]) =>
  mayBeLeftOut.filter((knob) =>
    warnings.some(
      (warning) =>
        warning.type === "unsupported" && warning.feature === knob && !/clamped/.test(warning.details ?? ""),
    ),
  );

/** As the SDK calls them too. */
const mayBeLeftOut = ["temperature", "topP", "seed"] as const;

function* finish(
  part: Part<"finish">,
  seen: { said: boolean; calls: number },
  { endpoint, readReason = (reason) => reason }: WireModel,
): Generator<ModelChunk> {
  const { stopReason, notice } = readEnding(readReason(part.finishReason), seen, endpoint);
  if (notice) yield { type: "notice", kind: "server", message: notice };
  yield { type: "usage", stopReason, ...tokens(part.usage) };
}

function tokens({ inputTokens, outputTokens }: Part<"finish">["usage"]) {
  return {
    inputTokens: inputTokens.total ?? 0,
    outputTokens: outputTokens.total ?? 0,
    ...(inputTokens.cacheRead && { cachedInputTokens: inputTokens.cacheRead }),
  };
}

function signatureIn(
  metadata: SharedV4ProviderMetadata | undefined,
  prompts: WireModel["prompts"],
): string | undefined {
  return metadata && prompts.signature(metadata);
}
