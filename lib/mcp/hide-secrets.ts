import type { McpServerConfig } from "@/lib/protocol/mcp";
import { hasSecretShape } from "@/lib/protocol/secret-shapes";
import { isSecretName } from "./mask-config";

export interface FoundSecret {
  name: string;
  /** Where it stands, such as `env.TOKEN`. */
  field: string;
  label: string | null;
  /** As it stood there; without it a person fills it in. */
  value?: string;
}

/**
 * What is taken out: `clear`, values that are named or look like secrets; `all`, whatever is not plainly harmless,
 * for a copy that leaves this machine; `placeholders`, what is to be filled in anyhow; `none` only finds the references that are there.
 */
export type Hiding = "none" | "placeholders" | "clear" | "all";

const reference = /\$\{secret:([\w-]{1,64})\}/g;

/** The names that an entry refers to as `${secret:NAME}`. */
export function secretNamesIn(config: McpServerConfig): string[] {
  return [...new Set([...JSON.stringify(config).matchAll(reference)].map(([, name]) => name as string))];
}

/** A name that can be referred to. */
export const secretNameOf = (text: string): string => text.replace(/[^\w-]+/g, "_").slice(0, 64) || "SECRET";

/** The entry with `${secret:NAME}` in place of each secret, and the secrets. */
export function hideSecrets(
  config: McpServerConfig,
  hiding: Hiding,
  labels: ReadonlyMap<string, string | null> = new Map(),
): { config: McpServerConfig; secrets: FoundSecret[] } {
  const secrets: FoundSecret[] = secretNamesIn(config).map((name) => ({
    ...{ name, field: fieldOf(config, name), label: labels.get(name) ?? null },
  }));
  if (hiding === "none") return { config, secrets };
  const hide = (field: string, name: string, value: string): string => {
    if (hiding === "placeholders" && !isPlaceholder(value)) return value;
    const free = freeName(secretNameOf(name), value, secrets);
    const found = { name: free, field, label: null, ...(!isPlaceholder(value) && { value }) };
    if (!secrets.some((secret) => secret.name === free)) secrets.push(found);
    return `\${secret:${free}}`;
  };
  const next = { ...config };
  if (config.env) next.env = hideValues(config.env, "env", hiding, hide);
  if (config.headers) next.headers = hideValues(config.headers, "headers", hiding, hide);
  if (config.url) next.url = hideParameters(config.url, hide);
  if (config.args) next.args = hideArguments(config.args, hide);
  if (config.oauth) next.oauth = hideMembers(config.oauth, hide);
  return { config: next, secrets };
}

type Hide = (field: string, name: string, value: string) => string;

function hideValues(values: Record<string, string>, field: "env" | "headers", hiding: Hiding, hide: Hide) {
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => {
      const scheme = field === "headers" ? (/^(?:Bearer|Basic|Token)\s+/i.exec(text)?.[0] ?? "") : "";
      const value = text.slice(scheme.length);
      const isOurs = hiding === "all" ? !isHarmless(value) : isClear(name, value);
      return [name, isOurs ? scheme + hide(`${field}.${name}`, name, value) : text];
    }),
  );
}

/** As they are written, so that what is put back is the same address. */
function hideParameters(url: string, hide: Hide): string {
  return url.replace(/([?&])([^=&?#]+)=([^&#]+)/g, (all, sign: string, name: string, value: string) =>
    isClear(name, value) ? `${sign}${name}=${hide(`url.${name}`, name, value)}` : all,
  );
}

/** `--token x`, `--token=x`, `-e TOKEN=x`, `--header "Authorization: Bearer x"`, and what has the shape of a secret by itself. */
function hideArguments(args: readonly string[], hide: Hide): string[] {
  return args.map((arg, index) => {
    const field = `args[${index}]`;
    const before = args[index - 1] ?? "";
    const joined = /^((?:--?env=|--?)?([\w-]+)=)(.+)$/s.exec(arg);
    if (joined?.[1] && joined[2] && joined[3])
      return isClear(joined[2], joined[3]) ? joined[1] + hide(field, joined[2], joined[3]) : arg;
    const header = /^(?:--header|-H)$/.test(before)
      ? /^([\w-]+)(:\s*(?:(?:Bearer|Basic|Token)\s+)?)(.+)$/is.exec(arg)
      : null;
    if (header?.[1] && header[3] && isClear(header[1], header[3]))
      return `${header[1]}${header[2]}${hide(field, header[1], header[3])}`;
    const option = /^--?([\w-]+)$/.exec(before)?.[1] ?? "";
    if (arg.startsWith("-") || !isClear(option, arg)) return arg;
    return hide(field, option && isSecretName(option) ? option : "SECRET", arg);
  });
}

function hideMembers(members: object, hide: Hide): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [
      name,
      typeof value === "string" && isSecretName(name) && !value.includes("${")
        ? hide(`oauth.${name}`, name, value)
        : value,
    ]),
  );
}

const isClear = (name: string, value: string): boolean =>
  !value.includes("${") &&
  !value.includes("••••") &&
  (hasSecretShape(value) || (isSecretName(name) && value !== "" && !isSetting(value)));

/** Numbers, switches and addresses, which are no secrets whatever they are called: MAX_TOKENS, AUTH_URL. */
const isSetting = (value: string): boolean =>
  /^(?:-?\d{1,7}(?:\.\d+)?|true|false|yes|no|on|off|none)$/i.test(value) ||
  /^https?:\/\/[^\s?@]+$/i.test(value);

const isHarmless = (value: string): boolean =>
  value === "" ||
  (value.includes("${") && !hasSecretShape(value)) ||
  (!hasSecretShape(value) &&
    (isSetting(value) || /^(?:[\w-]{1,7}|[.~]?\/[^\s:@]*|[A-Za-z]:\\.*)$/.test(value)));

/** What a page of instructions writes in place of a value. */
const isPlaceholder = (value: string): boolean =>
  /^(?:<.*>|\[.*\]|\.{3}|…|x{3,}|\*{3,}|(?:your|my|insert|replace|enter|put)[-_ ].*|.*[-_ ]here)$/i.test(
    value,
  );

function freeName(name: string, value: string, secrets: readonly FoundSecret[]): string {
  for (let number = 1; number < 1_000; number++) {
    const tried = number === 1 ? name : `${name.slice(0, 60)}_${number}`;
    const same = secrets.find((secret) => secret.name === tried);
    if (!same || (same.value !== undefined && same.value === value)) return tried;
  }
  return name;
}

function fieldOf(config: McpServerConfig, name: string): string {
  const holds = (value: unknown) => JSON.stringify(value ?? null).includes(`\${secret:${name}}`);
  for (const field of ["env", "headers", "oauth"] as const)
    for (const [key, value] of Object.entries(config[field] ?? {}))
      if (holds(value)) return `${field}.${key}`;
  const index = Array.isArray(config.args) ? config.args.findIndex(holds) : -1;
  if (index >= 0) return `args[${index}]`;
  return Object.keys(config).find((key) => holds(config[key])) ?? "";
}
