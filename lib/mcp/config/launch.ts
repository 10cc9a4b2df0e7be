import { createHash } from "node:crypto";
import { isAbsolute, resolve, sep } from "node:path";
import { canonicalJson } from "@/lib/protocol/canonical-json";
import type { McpOAuthConfig, McpServerConfig } from "@/lib/protocol/mcp";
import { McpConfigError } from "./config-fault";
import { expandVariables, type Variables } from "./expand-variables";

interface Offered {
  /** Absolute paths. */
  roots: string[];
  /** The server may request the model (sampling). */
  sampling: boolean;
  /** What stood in place of `${secret:NAME}`. */
  secrets?: readonly string[];
}

export interface StdioLaunch extends Offered {
  kind: "stdio";
  command: string;
  args: string[];
  /** Added to the few variables that every child process gets. */
  env: Record<string, string>;
  /** Absolute. */
  cwd: string;
  /** Folders that are created before the start: `cwd` where the entry names none. */
  makes: readonly string[];
}

export interface HttpLaunch extends Offered {
  kind: "http";
  url: URL;
  headers: Record<string, string>;
  /** The entry asks for the HTTP+SSE transport of 2024-11-05 first. */
  sse: boolean;
  /** `host:port`, in addition to that of `url`. */
  privateHosts: string[];
  oauth: McpOAuthConfig;
}

export type Launch = StdioLaunch | HttpLaunch;

export const transportOf = (config: McpServerConfig): Launch["kind"] =>
  config.url === undefined ? "stdio" : "http";

/**
 * What is started or connected to, with all variables expanded; `folder` is used where the entry names none. Throws
 * `McpConfigError` for an entry that cannot be started.
 */
export function launchOf(config: McpServerConfig, given: Variables, folder: string): Launch {
  const secrets: string[] = [];
  const secret = (name: string): string | undefined => {
    const value = given.secret?.(name);
    if (value !== undefined) secrets.push(value);
    return value;
  };
  const launch = withVariables(config, { ...given, secret }, folder);
  return secrets.length > 0 ? { ...launch, secrets } : launch;
}

function withVariables(config: McpServerConfig, variables: Variables, folder: string): Launch {
  const put = (text: string, field: string) => expandVariables(text, field, variables);
  const putAll = (values: Record<string, string> | undefined, field: string) =>
    Object.fromEntries(
      Object.entries(values ?? {}).map(([name, value]) => [name, put(value, `${field}.${name}`)]),
    );
  const roots = (config.roots ?? []).map((path, index) =>
    resolve(variables.root, put(path, `roots[${index}]`)),
  );
  const offered = { roots, sampling: config.sampling === true };
  if (config.url !== undefined)
    return {
      kind: "http",
      ...offered,
      url: readUrl(put(config.url, "url")),
      headers: putAll(config.headers, "headers"),
      sse: config.type === "sse",
      privateHosts: config.privateHosts ?? [],
      oauth: putAll(textsOf(config.oauth), "oauth"),
    };
  const env = putAll(config.env, "env");
  // The arguments of an entry may refer to its own `env`: `--header "Authorization: ${TOKEN}"`.
  const putOwn = (text: string, field: string) => expandVariables(text, field, { ...variables, own: env });
  return {
    kind: "stdio",
    ...offered,
    command: resolveCommand(putOwn(config.command ?? "", "command"), variables.root),
    args: (config.args ?? []).map((arg, index) => putOwn(arg, `args[${index}]`)),
    env,
    ...(config.cwd === undefined
      ? { cwd: folder, makes: [folder] }
      : { cwd: resolve(variables.root, putOwn(config.cwd, "cwd")), makes: [] }),
  };
}

const textsOf = (fields: object = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === "string"));

/** Throws `McpConfigError` for an address that no server can have. */
export function readUrl(text: string): URL {
  if (!URL.canParse(text))
    throw new McpConfigError("invalid", "url is not a URL. Write it like https://example.com/mcp.", "url");
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new McpConfigError(
      "invalid",
      `url begins with ${url.protocol}; only http: and https: are possible.`,
      "url",
    );
  if (url.username || url.password)
    throw new McpConfigError(
      "invalid",
      'url holds a user name or password. Put them into the header "Authorization".',
      "url",
    );
  return url;
}

/** Our own Node, whatever is on the PATH: the servers that ship with this application need it. */
function resolveCommand(command: string, root: string): string {
  if (command === "node") return process.execPath;
  const isPath = command.includes("/") || command.includes(sep);
  return isPath && !isAbsolute(command) ? resolve(root, command) : command;
}

/**
 * Identifies exactly what would be started or connected to: argv, environment, folder, URL and headers as they are
 * written. A reference to a variable stays a reference, so that a new token needs no new approval. Without `root` the
 * folder is as it is written too.
 */
export function approvalHash(config: McpServerConfig, root: string | undefined): string {
  const form =
    config.url === undefined
      ? {
          argv: argvOf(config),
          env: config.env ?? {},
          cwd: root === undefined ? (config.cwd ?? ".") : folderOf(config, root),
          ...offerOf(config),
        }
      : {
          url: config.url,
          headers: config.headers ?? {},
          ...(config.oauth && { oauth: config.oauth }),
          ...offerOf(config),
        };
  return createHash("sha256").update(canonicalJson(form)).digest("hex");
}

/** Left out when empty, so that older approvals stay valid. */
const offerOf = ({ roots, sampling, privateHosts }: McpServerConfig) => ({
  ...(privateHosts?.length && { privateHosts }),
  ...(roots?.length && { roots }),
  ...(sampling && { sampling }),
});

/** A path that begins with a variable stays as it is written. */
export const folderOf = ({ cwd = "." }: McpServerConfig, root: string) =>
  cwd.startsWith("${") ? cwd : resolve(root, cwd);
export const argvOf = ({ command = "", args = [] }: McpServerConfig) => [command, ...args];
