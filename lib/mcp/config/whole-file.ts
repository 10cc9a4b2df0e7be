import { canonicalJson } from "@/lib/protocol/canonical-json";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import type { McpFileChange } from "@/lib/protocol/mcp-file";
import { ConfigFault, McpConfigError } from "./config-fault";
import { maskConfig, restoreMasked } from "./mask-config";
import { assertEntry, lineAt, type ParsedConfig, parseConfig } from "./parse-config";

/** The text of the file as it may be shown: references stay, secrets in plain text are masked. */
export function showFile({ document, servers }: ParsedConfig): string {
  const entries = Object.fromEntries([...servers].map(([name, config]) => [name, maskConfig(config)]));
  return `${JSON.stringify({ ...maskConfig(document), mcpServers: entries }, null, 2)}\n`;
}

/**
 * Reads a text that was shown and edited; masked values that were not changed mean the stored ones. Throws
 * `McpConfigError` "invalid" with the line and the field.
 */
export function readEdited(text: string, stored: ParsedConfig): ParsedConfig {
  const { document, servers } = parse(text);
  const at = <Value>(place: string[], work: () => Value): Value => {
    try {
      return work();
    } catch (cause) {
      if (!(cause instanceof McpConfigError)) throw cause;
      const path = [...place, ...insideOf(cause, place.at(-1))];
      const message = place.length === 0 ? cause.message : `${path.join(".")}: ${cause.message}`;
      throw new McpConfigError("invalid", message, path.join("."), lineAt(text, path));
    }
  };
  const { mcpServers: _, ...others } = document;
  const { mcpServers: __, ...storedOthers } = stored.document;
  const restored = new Map<string, McpServerConfig>();
  for (const [name, config] of servers)
    at(["mcpServers", name], () => restored.set(name, readEntry(name, config, stored.servers.get(name))));
  const rest = at([], () => restoreMasked(others, storedOthers));
  // In the order of the text.
  const next = { ...document, ...rest, mcpServers: Object.fromEntries(restored) };
  return { document: next, servers: restored };
}

/** The differences between two states of the file, in its order, removed servers last. */
export function compareServers(
  before: ReadonlyMap<string, McpServerConfig>,
  after: ReadonlyMap<string, McpServerConfig>,
  needsApproval: (name: string, config: McpServerConfig) => boolean,
): McpFileChange[] {
  const changes = [...after].flatMap(([name, config]): McpFileChange[] => {
    const old = before.get(name);
    const fields = old ? differing(old, config) : [];
    if (old && fields.length === 0) return [];
    const change = old ? "changed" : "added";
    return [{ name, change, fields, needsApproval: needsApproval(name, config) }];
  });
  const gone = [...before.keys()].filter((name) => !after.has(name));
  return [
    ...changes,
    ...gone.map((name): McpFileChange => ({ name, change: "removed", fields: [], needsApproval: false })),
  ];
}

/** Whether anything but the servers differs. */
export const othersDiffer = (before: ParsedConfig, after: ParsedConfig): boolean =>
  differing(before.document, after.document).some((key) => key !== "mcpServers");

function parse(text: string): ParsedConfig {
  try {
    return parseConfig(text);
  } catch (cause) {
    if (!(cause instanceof ConfigFault)) throw cause;
    throw new McpConfigError("invalid", cause.message, undefined, cause.line ?? undefined);
  }
}

function readEntry(
  name: string,
  config: McpServerConfig,
  stored: McpServerConfig | undefined,
): McpServerConfig {
  const restored = restoreMasked(config, stored ?? {});
  // A stored entry can be invalid in a way that the comparison cannot show; it must not block the others.
  if (!stored || canonicalJson(stored) !== canonicalJson(restored)) assertEntry(name, restored);
  return restored;
}

/** The field of an entry that a fault is about; some messages name the server before it. */
function insideOf({ path }: McpConfigError, server = ""): string[] {
  if (!path || path === server) return [];
  return (path.startsWith(`${server}.`) ? path.slice(server.length + 1) : path).split(".");
}

function differing(before: object, after: object): string[] {
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  const text = (value: object, key: string) => canonicalJson(Reflect.get(value, key) ?? null);
  return [...keys].filter((key) => text(before, key) !== text(after, key));
}
