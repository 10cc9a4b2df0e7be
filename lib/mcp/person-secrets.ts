import type { ApprovalRule } from "@/lib/mcp/config/approval-rule";
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
 * Where what a person enters goes: the origin of a remote server, empty for an entry without a readable one, and what is started of a
 * local one. The same whatever the secrets are: an entry with a secret in its host is not connected.
 */
export function secretPlace(config: McpServerConfig, rule: ApprovalRule, variables: Variables): string {
  const { url } = config;
  if (url === undefined) return rule.hashOf(config);
  try {
    return new URL(expandVariables(url, "url", { ...variables, secret: () => "secret" })).origin;
  } catch {
    return "";
  }
}
