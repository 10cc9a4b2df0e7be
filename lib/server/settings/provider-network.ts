import { Agent, buildConnector, type Dispatcher } from "undici";
import { guardConnector, hostAndPort } from "@/lib/mcp/transport/guarded-fetch";
import { leanFetch } from "@/lib/mcp/transport/lean-fetch";
import { pacedConnections } from "@/lib/providers/openai/read-pace";
import { providerTable } from "@/lib/providers/provider-table";
import type { EndpointConfig } from "@/lib/providers/shared/definition";
import { recordedFetch } from "@/lib/providers/shared/recorded-wire";
import type { AccessByProvider } from "@/lib/providers/types";
import type { Env } from "@/lib/server/env";

/**
 * Connections to models: to public addresses, and to the private ones of `allowed` (`host:port`). Deadlines are the
 * run's: a model that thinks may be silent for minutes, and so may one that has no connection left. `connect` opens a
 * connection to an address that has passed; tests put a recorder there.
 */
export function openProviderNetwork(
  allowed: readonly string[],
  {
    connect = buildConnector({ timeout: 10_000, ...pacedConnections }),
    connections,
  }: { connect?: buildConnector.connector; connections?: number } = {},
): { dispatcher: Dispatcher; fetch: typeof fetch } {
  const dispatcher = new Agent({
    // Of one origin; any number unless told.
    connections: connections ?? null,
    headersTimeout: 10 * 60_000,
    bodyTimeout: 0,
    connect: guardConnector({ allowed, connect }),
  });
  return { dispatcher, fetch: recordedFetch(dispatcher, leanFetch) };
}

/**
 * The private addresses that the operator wrote down (`given`), those that a person approved by saving exactly them, and
 * those on this machine at which a provider is looked for.
 */
export function allowedAddresses(
  env: Pick<Env, "PRIVATE_HOSTS">,
  given: AccessByProvider,
  entered: AccessByProvider,
  endpoints: readonly Pick<EndpointConfig, "baseURL">[] = [],
): string[] {
  const urls = providerTable.flatMap(({ id, local, resolve = (address) => address }) =>
    [local, given[id]?.baseURL, entered[id]?.baseURL].flatMap(
      (address) => (address && URL.parse(resolve(address))) || [],
    ),
  );
  const named = endpoints.flatMap(({ baseURL }) => URL.parse(baseURL) ?? []);
  return [...env.PRIVATE_HOSTS, ...[...urls, ...named].map(hostAndPort)];
}
