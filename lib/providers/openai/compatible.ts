import { type Dispatcher, getGlobalDispatcher } from "undici";
import type { Provider, Turn } from "@/lib/agent/ports";
import type { EndpointApi, ModelItem } from "@/lib/protocol/settings";
import { type Endpoint, shownAddress, toListError } from "@/lib/providers/faults/failure";
import { responsesModels } from "@/lib/providers/sdk/responses";
import { type ModelMemory, memoryKey, openModelMemory } from "@/lib/providers/shared/model-memory";
import type { ModelSource } from "@/lib/providers/shared/model-source";
import { countRequest, limitRequests } from "@/lib/providers/shared/request-limit";
import { type KnobSpelling, respelled } from "./knobs";
import { OpenAiMessages } from "./messages";
import { OpenAiTools, writeRequest } from "./request";
import { isOpenAi, withEitherApi } from "./which-api";
import { streamCompletion } from "./wire";

/** A server that speaks OpenAI's chat completions, its Responses API, or both: OpenAI, vLLM, llama.cpp, LM Studio, Ollama. */
export interface CompatibleServer {
  id: string;
  label: string;
  /** With `/v1`. */
  baseURL: string;
  apiKey?: string;
  /** Sent with each request, in place of ours of the same name; names are lower case. */
  headers?: Readonly<Record<string, string>>;
  keyVariable?: string;
  addressVariable: string;
  wellKnown: string;
  optional?: true;
  /** OpenAI's where it is OpenAI itself, nobody's elsewhere, unless given. */
  pricesOf?: string;
  /** What is not said is as most servers have it. */
  spelling?: Partial<KnobSpelling>;
  dispatcher?: Dispatcher;
  fetch?: typeof globalThis.fetch | undefined;
  api?: EndpointApi;
  modelMemory?: ModelMemory | undefined;
  list(signal: AbortSignal): Promise<ModelItem[]>;
  callsTools?: ModelSource["callsTools"];
}

export function compatibleSource(server: CompatibleServer): ModelSource {
  const { id, baseURL, apiKey, optional, pricesOf = isOpenAi(baseURL) ? "openai" : undefined } = server;
  const withImages = new OpenAiMessages({ key: id, sendsToolImages: true, carries });
  // A model that cannot see answers an image with an error, and so it does in every later turn.
  const withoutImages = new OpenAiMessages({
    key: id,
    sendsToolImages: false,
    carries: (type) => !type.startsWith("image/") && carries(type),
  });
  const tools = new OpenAiTools();
  const headers = {
    "content-type": "application/json",
    // Some gateways refuse a client without a user agent.
    "user-agent": "meguri",
    ...(apiKey && { authorization: `Bearer ${apiKey}` }),
    ...server.headers,
  };
  // A short value ("meguri", "1") is no secret, and would tear words apart.
  const hidden = Object.values(server.headers ?? {}).filter((value) => value.length >= 8);
  const responses = responsesModels({ id, baseURL, headers, fetch: server.fetch });
  const memory = server.modelMemory ?? openModelMemory();
  const endpoint = (model: string): Endpoint => ({
    label: server.label,
    baseURL,
    model,
    addressVariable: server.addressVariable,
    ...(server.keyVariable && { keyVariable: server.keyVariable }),
    hasKey: apiKey !== undefined,
    secrets: [...(apiKey ? [apiKey] : []), ...hidden],
    ownHeaders: Object.keys(server.headers ?? {}),
  });
  return {
    id,
    address: shownAddress(baseURL),
    ...(pricesOf !== undefined && { pricesOf }),
    wellKnown: server.wellKnown,
    ...(optional && { optional }),
    ...(server.callsTools && { callsTools: server.callsTools }),
    async list(signal) {
      try {
        return await server.list(signal);
      } catch (error) {
        throw toListError(error, endpoint(server.wellKnown));
      }
    },
    provider(name, sees) {
      const address = endpoint(name);
      const known = { endpoint: address, memory, memoryKey: memoryKey(shownAddress(baseURL), name) };
      const spelling: KnobSpelling = { outputLimit: "max_tokens", ...server.spelling };
      const asking: Provider = {
        stream(turn) {
          const messages = sees() ? withImages : withoutImages;
          const wire = {
            dispatcher: server.dispatcher ?? getGlobalDispatcher(),
            url: `${baseURL}/chat/completions`,
            headers,
            endpoint: address,
            key: id,
            write: (asked: Turn) => writeRequest(name, asked, messages, tools, spelling),
          };
          countRequest(turn);
          return streamCompletion(wire, turn);
        },
      };
      const either = withEitherApi({
        ...known,
        api: server.api ?? "auto",
        chat: respelled(asking, spelling),
        responses: responses({ ...known, name, sees }),
      });
      return limitRequests(either, maxRequests);
    },
  };
}

/** Of one turn, whatever is refused: the other API, another spelling, options that can be left out. */
const maxRequests = 4;

const carries = (mediaType: string) =>
  /^image\/(png|jpeg|webp|gif)$|^audio\/(wav|mp3|mpeg)$|^application\/pdf$/.test(mediaType);
