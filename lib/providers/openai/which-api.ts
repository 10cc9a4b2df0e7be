import { passThroughAfterFirst, untilFirstChunk } from "@/lib/agent/pass-through-after-first";
import type { Provider } from "@/lib/agent/ports";
import type { EndpointApi } from "@/lib/protocol/settings";
import {
  apiIsSet,
  bothRefuse,
  lacksResponses,
  namesEffort,
  wantsResponses,
} from "@/lib/providers/faults/api-refusal";
import type { Endpoint } from "@/lib/providers/faults/failure";
import type { ModelApi, ModelMemory } from "@/lib/providers/shared/model-memory";
import { mayAskAgain } from "@/lib/providers/shared/request-limit";

/** A model that can be asked through either of OpenAI's APIs. */
export interface ApiChoice {
  /** One that is set is never changed. */
  api: EndpointApi;
  chat: Provider;
  responses: Provider;
  endpoint: Endpoint;
  memory: ModelMemory;
  memoryKey: string;
}

/** Asks through the API that is set; with `auto` through the likely one, and through the other where the answer says so. */
export function withEitherApi(model: ApiChoice): Provider {
  return model.api === "auto" ? changing(model) : settled(model, model.api);
}

function settled(model: ApiChoice, api: ModelApi): Provider {
  const refuses = api === "chat" ? wantsResponses : lacksResponses;
  return {
    stream: (turn) =>
      passThroughAfterFirst(async function* () {
        try {
          return yield* untilFirstChunk(model[api].stream(turn));
        } catch (error) {
          throw !turn.signal.aborted && refuses(error) ? apiIsSet(api, error, model.endpoint) : error;
        }
      }),
  };
}

function changing(model: ApiChoice): Provider {
  const { endpoint, memory, memoryKey } = model;
  return {
    stream: (turn) =>
      passThroughAfterFirst(async function* () {
        const first = memory.get(memoryKey).api ?? likelyApi(endpoint);
        let refusal: unknown;
        try {
          return yield* untilFirstChunk(model[first].stream(turn));
        } catch (error) {
          refusal = error;
          const isRefusal = first === "chat" ? wantsResponses(error) : lacksResponses(error);
          if (turn.signal.aborted || !isRefusal || !mayAskAgain(turn)) throw error;
        }
        const other: ModelApi = first === "chat" ? "responses" : "chat";
        if (wantsResponses(refusal) && namesEffort(refusal) && memory.get(memoryKey).reasons === undefined)
          memory.learn(memoryKey, { reasons: true });
        try {
          const started = yield* untilFirstChunk(model[other].stream(turn));
          memory.learn(memoryKey, { api: other });
          return started;
        } catch (error) {
          if (turn.signal.aborted) throw error;
          if (other === "chat" && wantsResponses(error)) throw bothRefuse(error, endpoint);
          if (lacksResponses(error) && wantsResponses(refusal)) throw bothRefuse(refusal, endpoint);
          throw error;
        }
      }),
  };
}

/** OpenAI's own address, in any of its regions. */
export const isOpenAi = (baseURL: string): boolean =>
  /(^|\.)api\.openai\.com$/.test(URL.parse(baseURL)?.hostname ?? "");

/** OpenAI has Responses; of others most have chat completions alone. */
const likelyApi = ({ baseURL }: Endpoint): ModelApi => (isOpenAi(baseURL) ? "responses" : "chat");
