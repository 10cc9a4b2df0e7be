import { randomUUID } from "node:crypto";
import { McpConfigError } from "@/lib/mcp/config/config-fault";
import { expandVariables, type SecretMemory, type Variables } from "@/lib/mcp/config/expand-variables";
import { type Launch, launchOf } from "@/lib/mcp/config/launch";
import type { OpenOptions } from "@/lib/mcp/connection/open-connection";
import type { LoginSetup } from "@/lib/mcp/oauth/login-setup";
import { ServerLogin } from "@/lib/mcp/oauth/server-login";
import type { LogRing } from "@/lib/mcp/transport/log-ring";
import { proxySecrets } from "@/lib/mcp/transport/network-variables";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { dataFolderOf, workFolder } from "./work-folder";

export interface LaunchSetup extends Pick<OpenOptions, "env" | "privateHosts" | "guard"> {
  logins?: LoginSetup | undefined;
  root: string;
  dataDir: string;
  reservedEnv: readonly string[];
  secrets?: SecretMemory | undefined;
  /** Whose connections these are; undefined for those that everybody shares. */
  person?: string | undefined;
  /** Whether a person has added this server for themselves. */
  isOwned?(server: string): boolean;
  /** `host:port` of a server that may be reached at a private address. */
  privateHostsOf(server: string, url: URL, signal: AbortSignal): Promise<string[]>;
}

/** The entry with variables expanded; the log masks their values. */
export function prepareLaunch(
  { name, config, log }: { name: string; config: McpServerConfig; log: LogRing },
  setup: LaunchSetup,
): Launch {
  const { env, secrets } = setup;
  const secret = (asked: string) => secrets?.get(name, asked);
  const variables = { ...variablesFor(name, config, setup), secret };
  const launch = launchOf(config, variables, workFolder(name, config, variables));
  if (setup.person !== undefined) {
    if (launch.kind === "http") assertPlace(launch.url, config, variables);
    else launch.makes = [...launch.makes, variables.dataDir];
  }
  const kept = secrets?.names(name).flatMap((known) => secret(known) ?? []) ?? [];
  const given = Object.values(launch.kind === "stdio" ? launch.env : launch.headers);
  log.setSecrets([...given, ...kept, ...proxySecrets(env)]);
  log.add(
    "host",
    launch.kind === "stdio" ? `Starting ${launch.command}` : `Connecting to ${launch.url.host}`,
  );
  return launch;
}

/** What a person writes reads nothing of this machine: neither its environment nor its folders. */
const variablesFor = (
  name: string,
  config: McpServerConfig,
  setup: LaunchSetup,
): Omit<Variables, "secret"> =>
  setup.isOwned?.(name)
    ? { env: {}, reserved: [], root: "", dataDir: "" }
    : {
        ...{ env: setup.env, reserved: setup.reservedEnv, root: setup.root },
        dataDir: dataFolderOf(config, setup),
      };

/** Kept while server and settings are the same: it remembers how the server last refused a request. */
export function loginFor(
  server: string,
  launch: Launch,
  { logins: setup, guard }: Pick<LaunchSetup, "logins" | "guard">,
  privateHosts: readonly string[],
  before: ServerLogin | undefined,
): ServerLogin | undefined {
  if (launch.kind === "stdio" || !setup) return undefined;
  const { url, headers, oauth: config } = launch;
  if (Object.keys(headers).some((name) => name.toLowerCase() === "authorization")) return undefined;
  if (before?.isFor(url, config, privateHosts)) return before;
  return new ServerLogin({ server, url, config, setup, privateHosts, guard });
}

/**
 * What a person enters must not choose where the operator's headers go, nor reach a private address that was approved for
 * another host.
 */
function assertPlace(url: URL, config: McpServerConfig, variables: Variables): void {
  const other = expandVariables(config.url ?? "", "url", { ...variables, secret: () => randomUUID() });
  if (URL.canParse(other) && new URL(other).origin === url.origin) return;
  throw new McpConfigError(
    "invalid",
    "url: with accounts a secret may stand in its path or its query, and not in its host. Write the host out.",
    "url",
  );
}
