import { createOpenAI, type OpenAILanguageModelResponsesOptions } from "@ai-sdk/openai";
import type { SharedV4ProviderOptions } from "@ai-sdk/provider";
import { passThroughAfterFirst, untilFirstChunk } from "@/lib/agent/pass-through-after-first";
import { type Provider, ProviderError, type Turn } from "@/lib/agent/ports";
import type { ModelChunk } from "@/lib/protocol/chunk";
import type { Endpoint } from "@/lib/providers/faults/failure";
import { readFault } from "@/lib/providers/faults/fault";
import type { LearnedModel, ModelMemory } from "@/lib/providers/shared/model-memory";
import { countRequest, mayAskAgain } from "@/lib/providers/shared/request-limit";
import { toOpenAiSchema } from "@/lib/providers/tools/tool-schema";
import { responsesKey, responsesPrompts } from "./responses-prompts";
import { streamTurn, type WireModel } from "./stream-turn";
import { ToolWriter } from "./tool-writer";

/** A server that speaks OpenAI's Responses API. */
export interface ResponsesServer {
  /** Part of the mark of its signatures: no other server can read them. */
  id: string;
  baseURL: string;
  /** In lower case; the key is one of them. */
  headers: Readonly<Record<string, string>>;
  fetch?: typeof globalThis.fetch | undefined;
}

export interface ResponsesModel {
  name: string;
  endpoint: Endpoint;
  /** Whether it can see images; asked before each turn. */
  sees(): boolean;
  memory: ModelMemory;
  memoryKey: string;
}

/** Opens the models of a server, through `@ai-sdk/openai`. Nothing is stored there: reasoning comes encrypted and goes back. */
export function responsesModels(server: ResponsesServer): (model: ResponsesModel) => Provider {
  const { authorization, ...headers } = server.headers;
  const sdk = createOpenAI({
    baseURL: server.baseURL,
    // Without a key the SDK takes that of `OPENAI_API_KEY`, which may be another server's; undefined removes the header.
    apiKey: "none",
    headers: { ...headers, Authorization: authorization as string },
    ...(server.fetch && { fetch: server.fetch }),
  });
  const tools = new ToolWriter(toOpenAiSchema);
  return ({ name, endpoint, sees, memory, memoryKey }) => {
    const model = sdk.responses(name);
    const writers = responsesPrompts(`${server.id}/${name}`, () => {
      if (memory.get(memoryKey).reasons === undefined) memory.learn(memoryKey, { reasons: true });
    });
    const ask = ({ learned, reasoning }: Attempt, turn: Turn): AsyncIterable<ModelChunk> => {
      countRequest(turn);
      const prompts = writers({ images: sees(), reasoning });
      return streamTurn(
        {
          model,
          endpoint,
          prompts,
          tools,
          options: options(name, turn, learned),
          signedAtEnd: true,
          readReason,
        },
        turn,
      );
    };
    return { stream: (turn) => withoutRefusedOptions(ask, memory, memoryKey, turn) };
  };
}

/** The SDK takes calls for a good end whatever the reason is; only what is incomplete has one. */
const readReason: NonNullable<WireModel["readReason"]> = ({ unified, raw }) =>
  raw !== undefined && unified === "tool-calls" ? { unified: "other", raw } : { unified, raw };

/** What a turn is asked with. */
interface Attempt {
  learned: LearnedModel;
  /** Sends the reasoning that is encrypted in the history. */
  reasoning: boolean;
}

/** Of one turn, so that one is left for the other API. */
const maxAttempts = 3;

/** Asks again without what a refusal is about, and leaves it out from then on once that was answered. */
function withoutRefusedOptions(
  ask: (attempt: Attempt, turn: Turn) => AsyncIterable<ModelChunk>,
  memory: ModelMemory,
  memoryKey: string,
  turn: Turn,
) {
  return passThroughAfterFirst(async function* () {
    let attempt: Attempt = { learned: memory.get(memoryKey), reasoning: true };
    for (let count = 1; ; count++) {
      try {
        const started = yield* untilFirstChunk(ask(attempt, turn));
        memory.learn(memoryKey, attempt.learned);
        return started;
      } catch (error) {
        const mayGoOn = count < maxAttempts && mayAskAgain(turn) && !turn.signal.aborted;
        const next = mayGoOn ? withoutRefused(attempt, error) : undefined;
        if (!next) throw error;
        attempt = next;
      }
    }
  });
}

/** The same without what the server refuses; undefined where that is nothing that can be left out. */
function withoutRefused({ learned, reasoning }: Attempt, error: unknown): Attempt | undefined {
  if (!(error instanceof ProviderError) || error.code !== "bad_response") return undefined;
  const { status, said, body } = readFault(error.cause);
  if (status !== 400 && status !== 422) return undefined;
  const text = `${said} ${body}`;
  // The key, or its organization, is another one than when this was written.
  if (/invalid_encrypted_content|encrypted content.{0,200}could not be/i.test(text))
    return reasoning ? { learned, reasoning: false } : undefined;
  // OpenAI shows summaries to verified organizations alone.
  if (/reasoning[ ._]summar/i.test(text))
    return learned.summary === false ? undefined : { learned: { ...learned, summary: false }, reasoning };
  if (/encrypted[ _]content|\binclude\b|['"`]reasoning['"`]/i.test(text))
    return learned.reasons === false ? undefined : { learned: { ...learned, reasons: false }, reasoning };
  return undefined;
}

function options(
  name: string,
  { effort }: Turn,
  { reasons, summary }: LearnedModel,
): SharedV4ProviderOptions {
  const isKnown = reasonsByName(name);
  // Somebody has set an effort, which the SDK drops where it does not know that the model reasons.
  const forceReasoning = reasons ?? (isKnown || effort !== undefined || undefined);
  const own: OpenAILanguageModelResponsesOptions = {
    store: false,
    strictJsonSchema: false,
    // Servers that are not OpenAI's may not know the role of a developer.
    ...(!isKnown && { systemMessageMode: "system" }),
    ...(forceReasoning !== undefined && { forceReasoning }),
    ...(forceReasoning && summary !== false && { reasoningSummary: "auto" }),
  };
  return { [responsesKey]: { ...own } as SharedV4ProviderOptions[string] };
}

/** Also behind the prefix of a gateway, where the SDK does not see it. */
const reasonsByName = (name: string): boolean =>
  /(^|[^a-z\d])(o[1-9]|gpt-?([5-9]|[1-9]\d))(?![a-z\d])/i.test(name) && !/chat/i.test(name);
