import type { McpServerConfig } from "@/lib/protocol/mcp";
import { McpConfigError } from "./config-fault";
import { secretNameOf } from "./hide-secrets";
import { type Inputs, isObject } from "./pasted-forms";

export interface TidyEntry {
  config: McpServerConfig;
  /** What a person is asked for, by the name of the secret that it becomes. */
  labels: ReadonlyMap<string, string | null>;
  notes: string[];
}

/** Fields of other hosts that mean nothing here. */
const foreign = [
  "chatMenu",
  "enabled_tools",
  "iconPath",
  "requiresOAuth",
  "serverInstructions",
  "startup",
  "stderr",
];

/** Translates spellings of other hosts; what a person is asked for becomes `${secret:NAME}`. */
export function tidyEntry(name: string, entry: unknown, inputs: Inputs): TidyEntry {
  if (!isObject(entry)) throw new McpConfigError("invalid", `${name}: a server is a JSON object.`);
  const notes: string[] = [];
  const labels = new Map<string, string | null>();
  const { serverUrl, httpUrl, enabled, transport, customUserVars, ...rest } = entry;
  const config = putReferences(rest, readVariables(customUserVars), inputs, labels, notes) as McpServerConfig;
  const url = config.url ?? serverUrl ?? httpUrl;
  if (url !== undefined) config.url = url as string;
  if (config.type === undefined && typeof transport === "string") config.type = transport;
  if (config.type === "streamable_http") config.type = "streamable-http";
  if (enabled === false) config.disabled = true;
  if (isObject(config.oauth)) config.oauth = tidyOAuth(config.oauth, notes);
  for (const field of ["env", "headers"] as const) if (config[field]) config[field] = textsOf(config[field]);
  if (Array.isArray(config.args)) config.args = config.args.map(textOf) as string[];
  const dropped = foreign.filter((key) => key in config);
  for (const key of dropped) delete config[key];
  if (dropped.length > 0) notes.push(`not imported: ${dropped.join(", ")}.`);
  if ("envFile" in config) notes.push('"envFile" is kept but not read. Put the variables into "env".');
  return { config, labels, notes };
}

/** LibreChat's `customUserVars`: name and title. */
function readVariables(value: unknown): ReadonlyMap<string, string | null> {
  return new Map(
    Object.entries(isObject(value) ? value : {}).map(([name, about]) => [
      name,
      isObject(about) && typeof about.title === "string" ? about.title : null,
    ]),
  );
}

function putReferences(
  value: unknown,
  variables: ReadonlyMap<string, string | null>,
  inputs: Inputs,
  labels: Map<string, string | null>,
  notes: string[],
): unknown {
  const ask = (id: string, label: string | null) => {
    const name = secretNameOf(id);
    labels.set(name, label);
    return `\${secret:${name}}`;
  };
  const put = (text: string) =>
    text
      .replace(/\$\{input:([^}]{1,200})\}/g, (_all, id: string) => ask(id, inputs.get(id) ?? null))
      .replace(/\$\{userHome\}/g, () => `\${env:HOME}`)
      .replace(/\{\{([A-Za-z0-9_]{1,100})\}\}/g, (all, id: string) => {
        if (variables.has(id)) return ask(id, variables.get(id) ?? null);
        notes.push(`${all} is a variable of another program and stays as it is written.`);
        return all;
      });
  const walk = (at: unknown): unknown => {
    if (typeof at === "string") return put(at);
    if (Array.isArray(at)) return at.map(walk);
    if (!isObject(at)) return at;
    return Object.fromEntries(Object.entries(at).map(([key, member]) => [key, walk(member)]));
  };
  return walk(value);
}

/** Other programs' names for fields that exist here. */
function tidyOAuth(oauth: Record<string, unknown>, notes: string[]): Record<string, unknown> {
  const { client_id, client_secret, authorization_url, token_url, redirect_uri, ...rest } = oauth;
  if (authorization_url ?? token_url ?? redirect_uri)
    notes.push("the addresses of its sign-in are asked of the server, not taken from here.");
  return {
    ...rest,
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
  };
}

/** Numbers and booleans, which YAML and people write without quotes; null for none; chat-ui's list of pairs. */
function textsOf(values: unknown): Record<string, string> {
  const pairs = Array.isArray(values)
    ? values.flatMap((pair) => (isObject(pair) ? [[String(pair.key ?? pair.name), pair.value] as const] : []))
    : Object.entries(values as object);
  return Object.fromEntries(
    pairs.filter(([, value]) => value !== null).map(([name, value]) => [name, textOf(value)]),
  ) as Record<string, string>;
}

const textOf = (value: unknown): unknown =>
  typeof value === "number" || typeof value === "boolean" ? String(value) : value;
