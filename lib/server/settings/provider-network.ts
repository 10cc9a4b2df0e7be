import { Agent, buildConnector, type Dispatcher } from "undici";
import { guardConnector, hostAndPort } from "@/lib/mcp/transport/guarded-fetch";
import { leanFetch } from "@/lib/mcp/transport/lean-fetch";
import { ollamaRoot } from "@/lib/providers/openai/ollama";
import { pacedConnections } from "@/lib/providers/openai/read-pace";
import type { Env } from "@/lib/server/env";
import { type AccessByProvider, accessOf } from "./provider-access";

/** Where an Ollama that nobody has configured is looked for. */
export const localOllama = "http://127.0.0.1:11434";

/**
 * Connections to models: to public addresses, and to the private ones of `allowed` (`host:port`). Deadlines are the
 * run's: a model that thinks may be silent for minutes. `connect` opens a connection to an address that has passed;
 * tests put a recorder there.
 */
export function openProviderNetwork(
  allowed: readonly string[],
  connect: buildConnector.connector = buildConnector({ timeout: 10_000, ...pacedConnections }),
): { dispatcher: Dispatcher; fetch: typeof fetch } {
  const dispatcher = new Agent({
    headersTimeout: 10 * 60_000,
    bodyTimeout: 0,
    connect: guardConnector({ allowed, connect }),
  });
  return { dispatcher, fetch: leanFetch(dispatcher) };
}

/** The private addresses that the operator wrote down, and those that a person approved by saving exactly them. */
export function allowedAddresses(env: Env, entered: AccessByProvider): string[] {
  const named = [accessOf(env), entered].flatMap((access) => [
    access.google?.baseURL,
    access.openai?.baseURL,
    access.anthropic?.baseURL,
    access.ollama?.baseURL && ollamaRoot(access.ollama.baseURL),
  ]);
  const urls = [localOllama, ...named].flatMap((address) => (address && URL.parse(address)) || []);
  return [...env.PRIVATE_HOSTS, ...urls.map(hostAndPort)];
}
