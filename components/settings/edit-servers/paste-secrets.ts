import type { McpImport, McpImportSecret } from "@/lib/protocol/mcp-file";

/** What a person has filled in, by `Wanted.key`. */
export type Entered = Record<string, string>;

export interface Wanted extends McpImportSecret {
  key: string;
  servers: string[];
}

/** What is to be filled in for servers that are new; VS Code asks once for an input that several servers use. */
export function wantedSecrets({ form, servers }: McpImport): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const { name: server, exists, secrets } of servers)
    for (const secret of secrets) {
      if (exists || secret.found) continue;
      const key = form === "vscode" ? secret.name : `${server}/${secret.name}`;
      const known = wanted.get(key);
      if (known) known.servers.push(server);
      else wanted.set(key, { ...secret, key, servers: [server] });
    }
  return [...wanted.values()];
}

/** As the API takes it: by server, then by name; without what was left empty. */
export function secretsToSend(found: McpImport, entered: Entered): Record<string, Record<string, string>> {
  const byServer: Record<string, Record<string, string>> = {};
  for (const { key, name, servers } of wantedSecrets(found)) {
    const value = entered[key];
    if (!value) continue;
    for (const server of servers) byServer[server] = { ...byServer[server], [name]: value };
  }
  return byServer;
}
