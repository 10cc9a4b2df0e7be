import type { Role } from "@/lib/protocol/accounts";
import type { McpServerConfig } from "@/lib/protocol/mcp";

/** An entry as a form holds it: text in every field. */
export interface EntryDraft {
  kind: "stdio" | "http";
  command: string;
  cwd: string;
  env: string;
  url: string;
  headers: string;
  timeout: string;
  /** Whose role has the server. */
  roles: "all" | Role;
  /** Whether all share one process. */
  scope: "shared" | "user";
}

/** A field that is not right, and the message that says why; `line` counts from 1. */
export interface EntryFault {
  field: keyof EntryDraft;
  reason: "needCommand" | "needUrl" | "badEnv" | "badHeader" | "badTimeout" | "openQuote";
  line?: number;
}

export function toDraft(
  config: McpServerConfig = {},
  kind: EntryDraft["kind"] = config.url ? "http" : "stdio",
): EntryDraft {
  return {
    kind,
    command: [config.command, ...(config.args ?? [])]
      .flatMap((word) => (word === undefined ? [] : quote(word)))
      .join(" "),
    cwd: config.cwd ?? "",
    env: writePairs(config.env, "="),
    url: config.url ?? "",
    headers: writePairs(config.headers, ": "),
    timeout: config.timeout === undefined ? "" : String(config.timeout / 1000),
    roles: onlyRole(config) ?? "all",
    scope: config.scope ?? "shared",
  };
}

/** The entry of the file; fields that the form does not know are kept from `before`. */
export function fromDraft(draft: EntryDraft, before: McpServerConfig = {}): McpServerConfig | EntryFault {
  const {
    type,
    command: _c,
    args: _a,
    env: _e,
    cwd: _d,
    url: _u,
    headers: _h,
    timeout: _t,
    roles,
    scope,
    perInstance,
    ...others
  } = before;
  const kept = { ...others, ...rolesOf(draft, roles) };
  const timeout = draft.timeout.trim() === "" ? undefined : Number(draft.timeout);
  if (timeout !== undefined && !(timeout >= 1 && timeout <= 3600))
    return { field: "timeout", reason: "badTimeout" };
  const limit = timeout === undefined ? {} : { timeout: timeout * 1000 };
  if (draft.kind === "http") {
    const url = draft.url.trim();
    if (!/^https?:\/\/[^\s/]/i.test(url)) return { field: "url", reason: "needUrl" };
    const headers = readPairs(draft.headers, ":");
    if (typeof headers === "number") return { field: "headers", reason: "badHeader", line: headers };
    const keepsType = before.url !== undefined && type !== undefined;
    return { ...kept, type: keepsType ? type : "http", url, ...nonEmpty("headers", headers), ...limit };
  }
  const words = splitCommand(draft.command);
  if (words === undefined) return { field: "command", reason: "openQuote" };
  const [command, ...args] = words;
  if (!command) return { field: "command", reason: "needCommand" };
  const env = readPairs(draft.env, "=");
  if (typeof env === "number") return { field: "env", reason: "badEnv", line: env };
  const cwd = draft.cwd.trim();
  const keptType = before.command !== undefined && type !== undefined ? { type } : {};
  return {
    ...{ ...kept, ...keptType, command, args, ...nonEmpty("env", env), ...(cwd && { cwd }), ...limit },
    ...(perInstance !== undefined && { perInstance }),
    // One that is written out stays.
    ...((draft.scope === "user" || scope) && { scope: draft.scope }),
  };
}

/** The one role that an entry is for. */
export const onlyRole = ({ roles }: McpServerConfig): Role | undefined =>
  roles?.length === 1 ? roles[0] : undefined;

/** An entry that names all roles stays as it is written. */
function rolesOf({ roles }: EntryDraft, before: Role[] | undefined): Pick<McpServerConfig, "roles"> {
  if (roles !== "all") return { roles: [roles] };
  return before && before.length > 1 ? { roles: before } : {};
}

export function isFault(entry: McpServerConfig | EntryFault): entry is EntryFault {
  return "reason" in entry && "field" in entry;
}

/** Words of a command line as a POSIX shell sees them, without any expansion; undefined when a quote stays open. */
export function splitCommand(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quoted: '"' | "'" | undefined;
  for (let at = 0; at < line.length; at++) {
    const char = line[at] as string;
    const escapes = char === "\\" && quoted !== "'" && at + 1 < line.length;
    if (escapes && (!quoted || /["\\]/.test(line[at + 1] as string))) word = (word ?? "") + line[++at];
    else if (quoted) {
      if (char === quoted) quoted = undefined;
      else word += char;
    } else if (char === '"' || char === "'") {
      quoted = char;
      word ??= "";
    } else if (/\s/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? "") + char;
  }
  if (quoted) return undefined;
  return word === undefined ? words : [...words, word];
}

/** A word such that `splitCommand` gives it back. */
export function quote(word: string): string {
  if (/^[^\s"'\\]+$/.test(word)) return word;
  return `"${word.replace(/["\\]/g, "\\$&")}"`;
}

function writePairs(pairs: Record<string, string> | undefined, between: string): string {
  return Object.entries(pairs ?? {})
    .map(([name, value]) => `${name}${between}${value}`)
    .join("\n");
}

/** Name and value of each line that is not empty; the number of the first line without the sign between them. */
function readPairs(text: string, between: "=" | ":"): Record<string, string> | number {
  const pairs: Record<string, string> = {};
  for (const [index, line] of text.split("\n").entries()) {
    if (line.trim() === "") continue;
    const at = line.indexOf(between);
    if (at < 1) return index + 1;
    const value = line.slice(at + 1);
    pairs[line.slice(0, at).trim()] = between === ":" ? value.trim() : value.replace(/\r$/, "");
  }
  return pairs;
}

function nonEmpty<Key extends "env" | "headers">(key: Key, pairs: Record<string, string>) {
  return Object.keys(pairs).length > 0 ? { [key]: pairs } : {};
}
