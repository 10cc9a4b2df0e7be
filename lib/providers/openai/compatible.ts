import { type Dispatcher, getGlobalDispatcher } from "undici";
import type { Provider, Turn } from "@/lib/agent/ports";
import type { EndpointApi, ModelItem } from "@/lib/protocol/settings";
import { type Endpoint, shownAddress, toListError } from "@/lib/providers/faults/failure";
import { responsesModels } from "@/lib/providers/sdk/responses";
import { type ApiMemory, openApiMemory } from "@/lib/providers/shared/api-memory";
import type { ModelSource } from "@/lib/providers/shared/model-source";
import { type KnobSpelling, respelled } from "./knobs";
import { OpenAiMessages } from "./messages";
import { OpenAiTools, writeRequest } from "./request";
import { withEitherApi } from "./which-api";
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
  /** What is not said is as most servers have it. */
  spelling?: Partial<KnobSpelling>;
  dispatcher?: Dispatcher;
  fetch?: typeof globalThis.fetch | undefined;
  api?: EndpointApi;
  apiMemory?: ApiMemory | undefined;
  list(signal: AbortSignal): Promise<ModelItem[]>;
  callsTools?: ModelSource["callsTools"];
}

export function compatibleSource(server: CompatibleServer): ModelSource {
  const { id, baseURL, apiKey, optional } = server;
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
  const memory = server.apiMemory ?? openApiMemory();
  const endpoint = (model: string): Endpoint => ({
    label: server.label,
    baseURL,
    model,
    addressVariable: server.addressVariable,
    ...(server.keyVariable && { keyVariable: server.keyVariable }),
    hasKey: apiKey !== undefined,
    secrets: [...(apiKey ? [apiKey] : []), ...hidden],
  });
  return {
    id,
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
      const memoryKey = `${shownAddress(baseURL)} ${name}`;
      const known = { endpoint: address, memory, memoryKey };
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
          return streamCompletion(wire, turn);
        },
      };
      return withEitherApi({
        ...known,
        api: server.api ?? "auto",
        chat: respelled(asking, spelling),
        responses: responses({ ...known, name, sees }),
      });
    },
  };
}

const carries = (mediaType: string) =>
  /^image\/(png|jpeg|webp|gif)$|^audio\/(wav|mp3|mpeg)$|^application\/pdf$/.test(mediaType);
