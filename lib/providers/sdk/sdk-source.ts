import type { Turn } from "@/lib/agent/ports";
import type { ModelItem } from "@/lib/protocol/settings";
import { type Endpoint, shownAddress, toListError } from "@/lib/providers/faults/failure";
import { type ProviderDefinition, variablesOf } from "@/lib/providers/shared/definition";
import type { ModelSource } from "@/lib/providers/shared/model-source";
import { streamTurn, type WireModel } from "./stream-turn";

/** A provider that is reached through its SDK, with one key at one address. */
export interface SdkServer {
  definition: ProviderDefinition;
  /** As sentences about its failures call it. */
  label: string;
  baseURL: string;
  apiKey: string;
  wellKnown: string;
  list(signal: AbortSignal): Promise<ModelItem[]>;
  /** What the turns of a model are sent with. */
  open(model: string): (turn: Turn) => Omit<WireModel, "endpoint">;
}

export function sdkSource({ definition, label, baseURL, apiKey, ...server }: SdkServer): ModelSource {
  const endpoint = (model: string): Endpoint => ({
    ...{ label, baseURL, model },
    ...variablesOf(definition),
    secrets: [apiKey],
  });
  return {
    id: definition.id,
    address: shownAddress(baseURL),
    pricesOf: definition.id,
    wellKnown: server.wellKnown,
    async list(signal) {
      try {
        return await server.list(signal);
      } catch (error) {
        throw toListError(error, endpoint(server.wellKnown));
      }
    },
    provider(name) {
      const address = endpoint(name);
      const wireFor = server.open(name);
      const leftOut = new Set<string>();
      return { stream: (turn) => streamTurn({ ...wireFor(turn), endpoint: address, leftOut }, turn) };
    },
  };
}
