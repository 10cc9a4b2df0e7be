import type { McpImport, McpServerConfig } from "@/lib/protocol/http";
import type { ConfigFault } from "./config-fault";
import { assertEntry } from "./parse-config";
import { parseStrictJson } from "./strict-json";
import { McpConfigError } from "./types";

/**
 * Reads what people paste: a `mcpServers` file, VS Code's `servers`, a bare map of servers, or a single server.
 * Starts and stores nothing; throws `McpConfigError` "invalid" with the line when it is no JSON or holds no server.
 */
export function importServers(text: string): McpImport {
  const notes: string[] = [];
  const servers: McpImport["servers"] = [];
  for (const [name, entry] of Object.entries(findServers(readJson(text), notes))) {
    try {
      const config = tidy(name, entry, notes);
      assertEntry(name, config);
      servers.push({ name, config, exists: false });
    } catch (fault) {
      notes.push(`Left out: ${(fault as Error).message}`);
    }
  }
  if (servers.length === 0)
    throw new McpConfigError(
      "invalid",
      notes.at(-1) ??
        'There is no server in it. Paste an object like {"mcpServers": {"name": {"command": "…"}}}.',
    );
  return { servers, notes };
}

function readJson(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = parseStrictJson(text.trim().replace(/^\uFEFF/, ""));
  } catch (cause) {
    const { line, message } = cause as ConfigFault;
    throw new McpConfigError("invalid", line === null ? message : `Line ${line}: ${message}`);
  }
  if (isObject(value)) return value;
  throw new McpConfigError("invalid", "Paste a JSON object with the servers in it.");
}

function findServers(value: Record<string, unknown>, notes: string[]): Record<string, unknown> {
  const nested = isObject(value.mcp) ? value.mcp : value;
  for (const key of ["mcpServers", "servers"] as const) {
    const servers = nested[key];
    if (!isObject(servers)) continue;
    const rest = Object.keys(nested).filter((name) => name !== key && name !== "$schema");
    if (rest.length > 0) notes.push(`Not taken over: ${rest.join(", ")}.`);
    return servers;
  }
  if (
    typeof value.command === "string" ||
    typeof value.url === "string" ||
    typeof value.serverUrl === "string"
  ) {
    const { name, ...entry } = value;
    return { [typeof name === "string" && name ? name : guessName(entry)]: entry };
  }
  return value;
}

/** Spellings of other hosts, put into ours. */
function tidy(name: string, entry: unknown, notes: string[]): McpServerConfig {
  if (!isObject(entry)) throw new McpConfigError("invalid", `${name}: a server is a JSON object.`);
  const { serverUrl, httpUrl, enabled, ...config } = entry;
  const url = config.url ?? serverUrl ?? httpUrl;
  if (url !== undefined) config.url = url;
  if (enabled === false) config.disabled = true;
  if (JSON.stringify(config).includes("${input:"))
    notes.push(
      `${name}: it asks for inputs, which are not supported. Write the values or \${env:NAME} in their place.`,
    );
  if ("envFile" in config)
    notes.push(`${name}: "envFile" is kept but not read. Put the variables into "env".`);
  return config;
}

function guessName(entry: Record<string, unknown>): string {
  const { command, args, url } = entry;
  if (typeof url === "string" && URL.canParse(url))
    return new URL(url).hostname.replace(/[^a-zA-Z0-9-]+/g, "-");
  const words = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === "string");
  const telling = words.find((word) => /mcp|server/i.test(word)) ?? words[0] ?? "server";
  const last =
    telling
      .replace(/@[\d.]+$|@latest$/, "")
      .split(/[\\/]/)
      .at(-1) ?? "server";
  return last.replace(/\.[a-z]+$/, "").replace(/[^a-zA-Z0-9-]+/g, "-") || "server";
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
