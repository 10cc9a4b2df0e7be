import type { McpImportForm } from "@/lib/protocol/mcp-file";
import { isObject } from "./pasted-forms";

type Entry = Record<string, unknown>;

/** Fields of other programs, under the names that they have here. Unknown fields stay. */
export function respell(form: McpImportForm, entry: unknown): unknown {
  if (!isObject(entry)) return entry;
  const { environment, envs, cmd, uri, http_headers, ...rest } = rename(form, entry);
  const spelled: Entry = { ...rest };
  put(spelled, "command", cmd);
  put(spelled, "url", uri);
  put(spelled, "env", environment ?? envs);
  put(spelled, "headers", http_headers);
  splitCommand(spelled);
  if (spelled.type === "local" || spelled.type === "remote") delete spelled.type;
  return spelled;
}

function put(entry: Entry, name: string, value: unknown): void {
  if (value !== undefined) entry[name] ??= value;
}

/** A list of words, or an object in older versions of Zed. */
function splitCommand(entry: Entry): void {
  const { command } = entry;
  if (isObject(command)) {
    delete entry.command;
    put(entry, "command", command.path);
    put(entry, "args", command.args);
    put(entry, "env", command.env);
  } else if (Array.isArray(command)) {
    const [first, ...words] = command;
    entry.command = first;
    entry.args = [...words, ...(Array.isArray(entry.args) ? entry.args : [])];
  }
}

/** Fields that mean something different in each program. */
function rename(form: McpImportForm, entry: Entry): Entry {
  switch (form) {
    case "codex":
      return fromCodex(entry);
    case "goose":
      return fromGoose(entry);
    case "opencode": {
      // OpenCode's limit is for listing the tools.
      const { timeout, ...rest } = entry;
      return { ...mapTexts(rest, opencodeText), ...limit("initTimeout", timeout, 1) };
    }
    case "crush": {
      const { timeout, ...rest } = entry;
      return { ...mapTexts(rest, shellText), ...limit("initTimeout", timeout, 1_000) };
    }
    case "zed": {
      const { source: _, ...rest } = entry;
      return rest;
    }
    case "mcpServers":
    case "vscode":
    case "librechat":
    case "chat-ui":
    case "amp":
    case "augment":
    case "map":
    case "single":
      return entry;
  }
}

function fromCodex(entry: Entry): Entry {
  const {
    startup_timeout_sec,
    startup_timeout_ms,
    tool_timeout_sec,
    disabled_tools: disabledTools,
    bearer_token_env_var: token,
    env_http_headers,
    env_vars,
    ...rest
  } = entry;
  const headers = {
    ...asObject(rest.http_headers),
    ...Object.fromEntries(
      Object.entries(asObject(env_http_headers)).map(([name, variable]) => [name, `\${${variable}}`]),
    ),
    ...(typeof token === "string" && { Authorization: `Bearer \${${token}}` }),
  };
  const handed = Array.isArray(env_vars) ? env_vars.filter((name) => typeof name === "string") : [];
  const env = { ...Object.fromEntries(handed.map((name) => [name, `\${${name}}`])), ...asObject(rest.env) };
  return {
    ...rest,
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(headers).length > 0 && { http_headers: headers }),
    ...(disabledTools !== undefined && { disabledTools }),
    ...limit("initTimeout", startup_timeout_ms, 1),
    ...limit("initTimeout", startup_timeout_sec, 1_000),
    ...limit("timeout", tool_timeout_sec, 1_000),
  };
}

/** Goose keeps the values of these variables in the keyring; they are asked for. */
function fromGoose(entry: Entry): Entry {
  const {
    timeout,
    env_keys,
    envs,
    name: _,
    description: __,
    display_name: ___,
    bundled: ____,
    ...rest
  } = entry;
  const keys = Array.isArray(env_keys) ? env_keys.filter((key) => typeof key === "string") : [];
  const env = { ...Object.fromEntries(keys.map((key) => [key, `\${input:${key}}`])), ...asObject(envs) };
  return {
    ...rest,
    ...(Object.keys(env).length > 0 && { envs: env }),
    ...limit("timeout", timeout, 1_000),
  };
}

/** `{env:NAME}` */
const opencodeText = (text: string): string => text.replace(/(?<!\$)\{env:([A-Za-z_]\w{0,127})\}/g, `\${$1}`);
/** `$NAME`, as in a shell. */
const shellText = (text: string): string => text.replace(/\$([A-Za-z_]\w{0,127})/g, `\${$1}`);

function mapTexts(value: Entry, change: (text: string) => string): Entry {
  const walk = (at: unknown): unknown => {
    if (typeof at === "string") return change(at);
    if (Array.isArray(at)) return at.map(walk);
    return isObject(at) ? mapTexts(at, change) : at;
  };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, walk(member)]));
}

const limit = (field: string, value: unknown, unitMs: number): Entry =>
  typeof value === "number" ? { [field]: Math.round(value * unitMs) } : {};
const asObject = (value: unknown): Entry => (isObject(value) ? value : {});
