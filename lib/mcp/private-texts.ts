import type { McpServerConfig } from "@/lib/protocol/mcp";
import { foldersOf, secretsOf, secretWords } from "./config/secrets-of";
import type { PoolOptions } from "./mcp-pool";
import type { ManagedServer } from "./servers/managed-server";
import { dataFolderOf } from "./servers/work-folder";
import { proxySecrets } from "./transport/network-variables";

type ExpandOptions = Pick<PoolOptions, "env" | "reservedEnv" | "root" | "secrets"> & {
  dataDir: string;
  person?: string | undefined;
};

/** What no text may disclose, of all servers (`McpPool.secrets`). */
export function secretsOfServers(servers: readonly ManagedServer[], options: ExpandOptions): string[] {
  const { env, secrets } = options;
  const ofServer = ({ name, config, login }: ManagedServer) => [
    ...(login?.secrets() ?? []),
    ...secretsOf(config, { ...variablesOf(config, options), secret: (asked) => secrets?.get(name, asked) }),
    ...secretWords(secrets?.names(name).flatMap((known) => secrets.get(name, known) ?? []) ?? []),
  ];
  return [...new Set([...servers.flatMap(ofServer), ...secretWords(proxySecrets(env))])];
}

/** Absolute paths of this machine that the entries name, with variables expanded. */
export function foldersOfServers(servers: readonly ManagedServer[], options: ExpandOptions): string[] {
  return [...new Set(servers.flatMap(({ config }) => foldersOf(config, variablesOf(config, options))))];
}

const variablesOf = (config: McpServerConfig, options: ExpandOptions) => ({
  env: options.env,
  reserved: options.reservedEnv,
  root: options.root,
  dataDir: dataFolderOf(config, options),
});
