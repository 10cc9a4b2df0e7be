import type { SecretMemory } from "./config/expand-variables";

/** What one person has entered for the servers that they have connections of their own to, and of the others what all share. */
export const secretsFor = (
  isPersonal: (server: string) => boolean,
  own: SecretMemory,
  shared: SecretMemory | undefined,
): SecretMemory => {
  const of = (server: string) => (isPersonal(server) ? own : shared);
  return {
    names: (server) => of(server)?.names(server) ?? [],
    get: (server, name) => of(server)?.get(server, name),
    forget: async (server) => of(server)?.forget(server),
  };
};
