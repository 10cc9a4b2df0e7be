import type { z } from "zod";
import { ProviderError } from "@/lib/agent/ports";
import { hostAndPort } from "@/lib/mcp/transport/guarded-fetch";
import type { ProviderTest } from "@/lib/protocol/settings";
import { providerTable } from "@/lib/providers/provider-table";
import type { EndpointConfig } from "@/lib/providers/shared/definition";
import type { Providers } from "@/lib/providers/types";
import type { ProviderTestRequest } from "@/lib/server/contract/settings";
import { endpointId } from "@/lib/server/endpoint-shape";
import { HttpError, notFound } from "@/lib/server/http/errors";
import { accessOf } from "@/lib/server/provider-env";
import { readEndpoints } from "./endpoints";
import { mergeAccess, mergeSecrets } from "./merge-access";
import { readAccess } from "./provider-access";
import type { SettingsDeps } from "./settings-deps";

const testMs = 10_000;

type Entered = Omit<z.output<typeof ProviderTestRequest>, "privateHost">;
type Found = { models: number; listed?: boolean };

/** Asks a provider or an endpoint for its models with what was entered, and with what is in force for what was not. Changes nothing. */
export async function testProvider(
  deps: SettingsDeps,
  id: string,
  { privateHost, ...entered }: z.output<typeof ProviderTestRequest>,
): Promise<ProviderTest> {
  const isBuiltIn = providerTable.some((known) => known.id === id);
  const { baseURL, ask } = isBuiltIn
    ? await builtInTest(deps, id, entered)
    : await endpointTest(deps, id, entered);
  const address = baseURL && URL.parse(baseURL);
  if (privateHost !== undefined && !(address && hostAndPort(address) === privateHost))
    throw new HttpError(400, "invalid_input", "privateHost: must be the host and the port of baseURL.");
  try {
    const providers = privateHost === undefined ? deps.providers : await deps.providers.reaching(privateHost);
    return { ok: true, ...(await ask(providers, AbortSignal.timeout(testMs))) };
  } catch (cause) {
    return {
      ok: false,
      message: cause instanceof Error ? cause.message : String(cause),
      field: cause instanceof ProviderError && cause.code !== "auth" ? "baseURL" : "apiKey",
    };
  }
}

interface Test {
  baseURL: string | undefined;
  ask(providers: Pick<Providers, "test" | "testEndpoint">, signal: AbortSignal): Promise<Found>;
}

async function builtInTest(deps: SettingsDeps, id: string, entered: Entered): Promise<Test> {
  if (entered.headers !== undefined || entered.apiKey === null || entered.models !== undefined)
    throw new HttpError(400, "invalid_input", "headers: only an endpoint takes headers, models and no key.");
  const { apiKey, baseURL } = entered;
  const inForce = (await readAccess(deps))[id] ?? accessOf(deps.providerEnv)[id] ?? {};
  const access = mergeAccess("apiKey", inForce, { apiKey, baseURL });
  return {
    baseURL: access.baseURL,
    ask: async (providers, signal) => ({ models: await providers.test(id, access, signal) }),
  };
}

/** One that is not saved yet has its address in the request. */
async function endpointTest(deps: SettingsDeps, id: string, entered: Entered): Promise<Test> {
  const known = (await readEndpoints(deps)).find((endpoint) => endpoint.id === id);
  const baseURL = entered.baseURL ?? known?.baseURL;
  if (baseURL === undefined || !endpointId.safeParse(id).success) throw notFound("provider");
  const isSame = baseURL === known?.baseURL;
  const { apiKey: _, headers: __, ...rest } = known ?? { id, name: id, api: "auto", source: "settings" };
  const endpoint: EndpointConfig = {
    ...rest,
    baseURL,
    ...mergeSecrets(entered, isSame ? known : undefined),
    ...(entered.models && { models: entered.models }),
  };
  return { baseURL, ask: (providers, signal) => providers.testEndpoint(endpoint, signal) };
}
