import type { McpImportForm } from "@/lib/protocol/mcp-file";
import { McpConfigError } from "./config-fault";
import type { Pasted } from "./read-pasted";

/** What VS Code asks a person for (`inputs`), by id. */
export type Inputs = ReadonlyMap<string, string | null>;

export interface Entries {
  form: McpImportForm;
  entries: [name: string, entry: unknown][];
  /** The label of each declared input. */
  inputs: Inputs;
  notes: string[];
}

/** Recognizes the form, and returns its servers. */
export function findEntries({ value, isYaml }: Pasted): Entries {
  if (Array.isArray(value)) return listed(value);
  if (!isObject(value)) throw new McpConfigError("invalid", "Paste a JSON object with the servers in it.");
  const known = keyedForm(value);
  if (known) return known;
  const nested = isObject(value.mcp) && isObject(value.mcp.servers) ? value.mcp : value;
  if (isObject(nested.servers))
    return keyed("vscode", nested, "servers", ["inputs"], readInputs(nested.inputs));
  if (isObject(nested.mcpServers)) {
    const form = isYaml ? "librechat" : "mcpServers";
    return keyed(form, nested, "mcpServers", ["inputs"], readInputs(nested.inputs));
  }
  if (Array.isArray(nested.mcpServers)) return listed(nested.mcpServers);
  const isSingle = ["command", "url", "serverUrl", "httpUrl"].some((key) => typeof value[key] === "string");
  if (isSingle || Array.isArray(value.command)) {
    const { name, ...entry } = value;
    const called = typeof name === "string" && name ? name : guessName(entry);
    return { form: "single", entries: [[called, entry]], inputs: new Map(), notes: [] };
  }
  const entries = Object.entries(value);
  if (entries.length > 0 && !entries.some(([, entry]) => looksLikeServer(entry))) throw unknownForm(value);
  return { form: "map", entries, inputs: new Map(), notes: [] };
}

/** Forms that are recognized by one name at the top. */
function keyedForm(value: Record<string, unknown>): Entries | undefined {
  const { mcp, extensions } = value;
  if (isObject(value.context_servers)) return keyed("zed", value, "context_servers", [], new Map());
  if (isObject(value.mcp_servers)) return keyed("codex", value, "mcp_servers", [], new Map());
  if (isObject(value["amp.mcpServers"])) return keyed("amp", value, "amp.mcpServers", [], new Map());
  const advanced = value["augment.advanced"];
  if (isObject(advanced) && Array.isArray(advanced.mcpServers))
    return { ...listed(advanced.mcpServers), form: "augment" };
  if (isObject(mcp) && !looksLikeServer(mcp) && !isObject(mcp.servers) && !isObject(mcp.mcpServers)) {
    const isOpencode = Object.values(mcp).some(
      (entry) => isObject(entry) && (entry.type === "local" || entry.type === "remote"),
    );
    return keyed(isOpencode ? "opencode" : "crush", value, "mcp", [], new Map());
  }
  if (isObject(extensions) && Object.values(extensions).some(looksLikeServer)) {
    const goose = keyed("goose", value, "extensions", [], new Map());
    const isOurs = ([, entry]: Entries["entries"][number]) =>
      !isObject(entry) || ["stdio", "sse", "streamable_http"].includes(String(entry.type));
    const others = goose.entries.filter((entry) => !isOurs(entry)).map(([name]) => name);
    if (others.length > 0) goose.notes.push(`Not imported: ${others.slice(0, 20).join(", ")}.`);
    return { ...goose, entries: goose.entries.filter(isOurs) };
  }
  return undefined;
}

const serverFields = ["command", "cmd", "args", "url", "serverUrl", "httpUrl", "uri", "type"];
const looksLikeServer = (entry: unknown): boolean =>
  isObject(entry) && serverFields.some((field) => Object.hasOwn(entry, field));

function unknownForm(value: Record<string, unknown>): McpConfigError {
  const names = Object.keys(value)
    .slice(0, 10)
    .map((name) => name.slice(0, 60))
    .join(", ");
  return new McpConfigError(
    "invalid",
    `This form is not known: its top level has ${names}. Paste what is under "mcpServers", "servers", "mcp", "context_servers", "mcp_servers" or "extensions" with that name, or one server by itself.`,
  );
}

function keyed(
  form: McpImportForm,
  whole: Record<string, unknown>,
  key: string,
  understood: string[],
  inputs: Inputs,
): Entries {
  const rest = Object.keys(whole).filter((name) => ![key, "$schema", ...understood].includes(name));
  return {
    form,
    entries: Object.entries(whole[key] as object),
    inputs,
    notes: rest.length > 0 ? [`Not imported: ${rest.slice(0, 20).join(", ")}.`] : [],
  };
}

/** chat-ui's `MCP_SERVERS`: each entry has its name inside. */
function listed(list: readonly unknown[]): Entries {
  const entries = new Map<string, unknown>();
  const notes: string[] = [];
  for (const [index, item] of list.entries()) {
    if (!isObject(item)) {
      notes.push(`Left out: number ${index + 1} is no JSON object.`);
      continue;
    }
    const { name, ...entry } = item;
    const called = typeof name === "string" && name.trim() ? name.trim() : guessName(entry);
    if (entries.has(called))
      notes.push(`Left out: the name "${called}" appears twice; the first one is used.`);
    else entries.set(called, entry);
  }
  return { form: "chat-ui", entries: [...entries], inputs: new Map(), notes };
}

function readInputs(value: unknown): Inputs {
  const inputs = new Map<string, string | null>();
  for (const input of Array.isArray(value) ? value : [])
    if (isObject(input) && typeof input.id === "string")
      inputs.set(input.id, typeof input.description === "string" ? input.description : null);
  return inputs;
}

function guessName(entry: Record<string, unknown>): string {
  const { command, args, url = entry.serverUrl ?? entry.httpUrl } = entry;
  if (typeof url === "string" && URL.canParse(url))
    return new URL(url).hostname.replace(/[^a-zA-Z0-9-]+/g, "-") || "server";
  const words = [command, args].flat().filter((word) => typeof word === "string");
  const telling = words.find((word) => /mcp|server/i.test(word)) ?? words[0] ?? "server";
  const last =
    telling
      .replace(/@[\d.]+$|@latest$/, "")
      .split(/[\\/]/)
      .at(-1) ?? "server";
  return last.replace(/\.[a-z]+$/, "").replace(/[^a-zA-Z0-9-]+/g, "-") || "server";
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
