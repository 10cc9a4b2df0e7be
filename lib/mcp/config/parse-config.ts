import { findNodeAtLocation, parseTree } from "jsonc-parser";
import { z } from "zod";
import { roles } from "@/lib/protocol/accounts";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { hasInvisible, showInvisible } from "@/lib/protocol/show-invisible";
import { ConfigFault, McpConfigError } from "./config-fault";
import { readUrl } from "./launch";
import { parseStrictJson } from "./strict-json";

export const httpTypes = ["http", "streamable-http", "streamableHttp", "sse"] as const;

const oauthSchema = z
  .looseObject({
    clientId: z.string().min(1).optional(),
    clientSecret: z.string().min(1).optional(),
    clientMetadataUrl: z
      .url({ protocol: /^https$/, error: "must be a https:// address" })
      .refine((url) => new URL(url).pathname !== "/", "must name a document, not only a host")
      .optional(),
    privateKey: z.string().min(1).optional(),
    algorithm: z.enum(["RS256", "PS256", "ES256", "EdDSA"]).optional(),
    scope: z.string().optional(),
    grant: z.enum(["authorization_code", "client_credentials", "jwt_bearer", "id_jag"]).optional(),
    assertion: z.string().min(1).optional(),
  })
  .refine(
    ({ grant, clientId, clientSecret, privateKey }) =>
      grant !== "client_credentials" || (clientId && (clientSecret || privateKey)),
    {
      message: 'client_credentials needs a "clientId" and a "clientSecret" or "privateKey"',
      path: ["grant"],
    },
  )
  .refine(({ grant, clientId, assertion }) => grant !== "jwt_bearer" || (clientId && assertion), {
    message: 'jwt_bearer needs a "clientId" and an "assertion"',
    path: ["grant"],
  })
  .refine(({ grant, clientId }) => grant !== "id_jag" || clientId, {
    message: 'id_jag needs the "clientId" that the authorization server of the MCP server knows',
    path: ["grant"],
  });

const areRoles = (named: readonly string[]): boolean =>
  named.length > 0 &&
  named.every((one, at) => roles.some((role) => role === one) && named.indexOf(one) === at);

const entrySchema = z
  .looseObject({
    type: z.enum(["stdio", ...httpTypes]).optional(),
    command: z.string().min(1).optional(),
    args: z.array(z.string()).max(1_000).optional(),
    env: z.record(z.string(), z.string()).optional(),
    cwd: z.string().min(1).optional(),
    url: z.string().min(1).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    roots: z.array(z.string().min(1)).max(100).optional(),
    sampling: z.boolean().optional(),
    privateHosts: z
      .array(z.string().regex(/^(?:[\w.-]{1,253}|\[[\da-f:.]{2,45}\]):\d{1,5}$/i, 'must be "host:port"'))
      .max(20)
      .optional(),
    oauth: oauthSchema.optional(),
    disabled: z.boolean().optional(),
    roles: z
      .array(z.string())
      .refine(areRoles, 'must be ["admin"], ["member"] or both; without it everybody has the server')
      .optional(),
    scope: z.enum(["shared", "user"]).optional(),
    perInstance: z.boolean().optional(),
    deferred: z.boolean().optional(),
    mayEscalate: z.boolean().optional(),
    disabledTools: z.array(z.string()).max(10_000).optional(),
    toolExecution: z.enum(["parallel", "sequential"]).optional(),
    timeout: z.int().min(1).max(600_000, "at most 600000 (10 minutes)").optional(),
    initTimeout: z.int().min(1).max(600_000, "at most 600000 (10 minutes)").optional(),
  })
  .superRefine(({ type, command, url, scope }, context) => {
    const addIssue = (message: string, path: string[] = []) =>
      context.addIssue({ code: "custom", message, path });
    if (command === undefined && url === undefined)
      addIssue('it needs a "command" to start or a "url" to connect to');
    else if (command !== undefined && url !== undefined)
      addIssue('it has both "command" and "url"; remove one');
    else if (type !== undefined && (type === "stdio") === (url !== undefined))
      addIssue(`"${type}" needs a "${type === "stdio" ? "command" : "url"}"`, ["type"]);
    else if (scope !== undefined && url !== undefined)
      addIssue('is for a "command"; with a "url" everybody has a connection of their own. Remove it', [
        "scope",
      ]);
  });

const nameSchema = z
  .string()
  .min(1, "a server needs a name")
  .max(128, "a server's name has at most 128 characters")
  .regex(/^\P{Cc}*$/u, "a server's name has no control characters")
  .refine((name) => !hasInvisible(name), "a server's name has no characters that cannot be seen")
  .refine((name) => name !== "__proto__", 'a server cannot be called "__proto__"');

const documentSchema = z.looseObject({
  mcpServers: z
    .record(z.string(), z.unknown(), {
      error: 'the file needs an object "mcpServers" with the servers in it',
    })
    .refine((servers) => Object.keys(servers).length <= 200, "at most 200 servers"),
});

export interface ParsedConfig {
  /** The whole file, with the fields that are not about servers. */
  document: Record<string, unknown>;
  servers: ReadonlyMap<string, McpServerConfig>;
}

/** Reads the text of an `mcpServers` file; throws a `ConfigFault` that names line and field. */
export function parseConfig(text: string): ParsedConfig {
  const parsed = documentSchema.safeParse(parseStrictJson(text));
  if (!parsed.success) throw faultAt(text, parsed.error.issues[0], []);
  const servers = new Map<string, McpServerConfig>();
  for (const [name, entry] of Object.entries(parsed.data.mcpServers)) {
    const fault = checkName(name) ?? checkEntry(entry);
    if (fault) throw faultAt(text, fault, ["mcpServers", name]);
    servers.set(name, entry as McpServerConfig);
  }
  return { document: parsed.data, servers };
}

/** The same rules for an entry from another source; throws `McpConfigError` "invalid". */
export function assertEntry(name: string, config: unknown): asserts config is McpServerConfig {
  try {
    parseStrictJson(JSON.stringify(config) ?? "null");
  } catch (fault) {
    throw new McpConfigError("invalid", `${name}: ${(fault as Error).message}`, name);
  }
  const issue = checkName(name) ?? checkEntry(config);
  if (!issue) {
    const { url } = config as McpServerConfig;
    if (url !== undefined && !url.includes("${")) readUrl(url);
    return;
  }
  const path = [name, ...issue.path].join(".");
  throw new McpConfigError("invalid", `${showInvisible(path)}: ${issue.message}.`, path);
}

type Issue = { message: string; path: PropertyKey[] };

const checkName = (name: string): Issue | undefined => {
  const issue = nameSchema.safeParse(name).error?.issues[0];
  return issue && { message: issue.message, path: [] };
};
const checkEntry = (entry: unknown): Issue | undefined => entrySchema.safeParse(entry).error?.issues[0];

function faultAt(text: string, issue: Issue | undefined, inside: string[]): ConfigFault {
  const path = [...inside, ...(issue?.path ?? []).filter((step) => typeof step !== "symbol")];
  const message =
    path.length === 0
      ? `The file: ${issue?.message}.`
      : `${showInvisible(path.join("."))}: ${issue?.message}.`;
  return new ConfigFault(message, lineAt(text, path));
}

/** The line of this value, or of the deepest part of its path that exists; counts from 1. */
export function lineAt(text: string, path: (string | number)[]): number {
  const tree = parseTree(text);
  let node = tree;
  for (let depth = path.length; depth > 0 && tree; depth--) {
    node = findNodeAtLocation(tree, path.slice(0, depth));
    if (node) break;
  }
  return text.slice(0, node?.offset ?? 0).split("\n").length;
}
