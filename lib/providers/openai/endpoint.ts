import { ProviderError } from "@/lib/agent/ports";
import { hasNoList } from "@/lib/providers/faults/failure";
import type { EndpointConfig, ModelNetwork } from "@/lib/providers/shared/definition";
import { type ModelSource, modelItem } from "@/lib/providers/shared/model-source";
import { compatibleSource } from "./compatible";
import { listModels } from "./list-models";

/** What a sentence says in place of a variable: "Check …". */
const addressInWords = "the address in Settings → Models";

/** The models of a named endpoint: those that were named by hand, else those that its server lists. */
export function endpointSource(endpoint: EndpointConfig, network: ModelNetwork): ModelSource {
  const { dispatcher, fetch, modelMemory } = network;
  const { id, name, api, apiKey, headers = {}, models, source } = endpoint;
  const base = endpoint.baseURL.replace(/\/+$/, "");
  const given = { headers: lowerCased(headers), ...(apiKey && { apiKey }) };
  return {
    ...compatibleSource({
      id,
      label: name,
      baseURL: base,
      addressVariable: source === "environment" ? "MEGURI_ENDPOINTS" : addressInWords,
      // Servers with a single model mostly take any name.
      wellKnown: models?.[0] ?? "default",
      ...given,
      ...(dispatcher && { dispatcher }),
      ...{ api, fetch, modelMemory },
      list: models
        ? async () => models.map((model) => modelItem(id, model))
        : (signal) => listModels({ id, base, fetch, ...given }, signal),
    }),
    name,
  };
}

/**
 * Asks its server for the models, those that are named by hand too. A server without a list that was named some answers
 * for them. Throws an `Error` whose message says what is wrong.
 */
export async function testEndpoint(
  { models, ...endpoint }: EndpointConfig,
  network: ModelNetwork,
  signal: AbortSignal,
): Promise<{ models: number; listed: boolean }> {
  try {
    const listed = await endpointSource(endpoint, network).list(signal);
    return { models: models?.length ?? listed.length, listed: true };
  } catch (error) {
    if (models && error instanceof ProviderError && hasNoList(error.cause))
      return { models: models.length, listed: false };
    throw error;
  }
}

/** Two spellings of one name would both be sent. */
const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
