import type { McpServerConfig } from "@/lib/protocol/mcp";
import { expandVariables, type SecretMemory, type Variables } from "./config/expand-variables";

interface Division {
  /** What one person has entered for the servers that they have connections of their own to. */
  own: SecretMemory;
  /** Of the others what all share. */
  shared: SecretMemory | undefined;
  /** Undefined for a server that everybody shares. */
  placeOf(server: string): string | undefined;
}

/** Which secrets count for a person at each server. */
export function secretsFor({ own, shared, placeOf }: Division): SecretMemory {
  const of = (server: string) => {
    const place = placeOf(server);
    return { memory: place === undefined ? shared : own, place };
  };
  return {
    names: (server) => {
      const { memory, place } = of(server);
      return memory?.names(server, place) ?? [];
    },
    get: (server, name) => {
      const { memory, place } = of(server);
      return memory?.get(server, name, place);
    },
    forget: async (server) => of(server).memory?.forget(server),
  };
}

/**
 * The origin that what a person enters goes to; empty for an entry without a readable one. The same whatever the secrets are: an
 * entry with a secret in its host is not connected.
 */
export function secretPlace({ url = "" }: McpServerConfig, variables: Variables): string {
  try {
    return new URL(expandVariables(url, "url", { ...variables, secret: () => "secret" })).origin;
  } catch {
    return "";
  }
}
