import type { McpServerConfig } from "@/lib/protocol/mcp";
import { type Hider, hideInAddress, hideInArguments, hideText } from "./hide-in-text";
import { isClear, isNamedSecret, isPlaceholder, splitReferences } from "./judge-text";
import { isSecretName } from "./mask-config";

export interface FoundSecret {
  name: string;
  /** The field, such as `env.TOKEN`. */
  field: string;
  label: string | null;
  /** The value; without one a person fills it in. */
  value?: string;
}

/**
 * What is taken out. `clear`: values that are named or look like secrets; `all`: whatever is not plainly harmless, for a
 * copy that leaves this machine; `placeholders`: what a person has to fill in anyway; `none`: nothing, only the existing
 * references are found.
 */
export type Hiding = "none" | "placeholders" | "clear" | "all";

const reference = /\$\{secret:([\w-]{1,64})\}/g;

const namesIn = (value: unknown): string[] =>
  [...(JSON.stringify(value) ?? "").matchAll(reference)].map(([, name]) => name as string);

/** The names that an entry refers to as `${secret:NAME}`. */
export const secretNamesIn = (config: McpServerConfig): string[] => [...new Set(namesIn(config))];

/** A valid name of a reference. */
export const secretNameOf = (text: string): string => text.replace(/[^\w-]+/g, "_").slice(0, 64) || "SECRET";

/** The entry with `${secret:NAME}` in place of each secret, and the secrets. */
export function hideSecrets(
  config: McpServerConfig,
  hiding: Hiding,
  labels: ReadonlyMap<string, string | null> = new Map(),
): { config: McpServerConfig; secrets: FoundSecret[] } {
  const fields = fieldsOf(config);
  const secrets: FoundSecret[] = secretNamesIn(config).map((name) => ({
    ...{ name, field: fields.get(name) ?? "", label: labels.get(name) ?? null },
  }));
  if (hiding === "none") return { config, secrets };
  const nameFor = freeNames(secrets.map(({ name }) => name));
  const hide = (field: string, name: string, value: string): string => {
    if (hiding === "placeholders" && !isPlaceholder(value)) return value;
    const { free, isNew } = nameFor(secretNameOf(name), value);
    if (isNew) secrets.push({ name: free, field, label: null, ...(!isPlaceholder(value) && { value }) });
    return `\${secret:${free}}`;
  };
  const hider = { all: hiding === "all", hide };
  const next = { ...config };
  for (const key of new Set([...firstFields, ...Object.keys(config)]))
    if (Object.hasOwn(config, key)) next[key] = hideField(hider, key, config[key]);
  return { config: next, secrets };
}

/** Variables come before arguments, so that a secret is named after its variable. */
const firstFields = ["env", "headers", "url", "args", "oauth"];

/** Fields that never hold a secret and whose values are needed as they are. */
const plainFields = [
  ...["type", "disabled", "disabledTools", "deferred", "sampling", "roles", "scope"],
  ...["timeout", "initTimeout", "toolExecution", "privateHosts"],
];

function hideField(hider: Hider, key: string, value: unknown): unknown {
  if (plainFields.includes(key)) return value;
  if ((key === "env" || key === "headers") && isTexts(value)) return hideValues(hider, key, value);
  if (key === "url" && typeof value === "string") return hideInAddress(hider, key, key, value);
  if (key === "args" && Array.isArray(value) && value.every(isText))
    return hideInArguments(hider, key, value);
  // References are not expanded in the other fields: hiding there loses the value, so it is done to copies only.
  if (hider.all) return hideMember(hider, key, key, value);
  return key === "oauth" && isObject(value) ? hideOAuth(hider, value) : value;
}

function hideValues(hider: Hider, field: string, values: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, text]) => {
      const isHeader = field.endsWith("headers");
      const scheme = isHeader ? (/^(?:Bearer|Basic|Token)\s+/i.exec(text)?.[0] ?? "") : "";
      return [name, scheme + hideText(hider, `${field}.${name}`, name, text.slice(scheme.length), "value")];
    }),
  );
}

function hideOAuth(hider: Hider, members: object): object {
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      const isOurs =
        isText(value) &&
        value !== "" &&
        splitReferences(value).length === 1 &&
        (isSecretName(name) || isClear(name, value));
      return [name, isOurs ? hider.hide(`oauth.${name}`, name, value) : value];
    }),
  );
}

/** All other values of an entry or a file, at any depth. */
function hideMember(hider: Hider, field: string, name: string, value: unknown): unknown {
  if (typeof value === "number") return isNamedSecret(name) ? hider.hide(field, name, `${value}`) : value;
  if (isText(value)) {
    if (name !== "command") return hideText(hider, field, name, value, "text");
    return hideInArguments(hider, field, value.split(" ")).join(" ");
  }
  if (Array.isArray(value)) {
    const isArguments = value.every(isText) && (name === "args" || value.some((arg) => arg.startsWith("-")));
    if (isArguments && !isNamedSecret(name)) return hideInArguments(hider, field, value);
    return value.map((one) => hideMember(hider, field, name, one));
  }
  if (!isObject(value)) return value;
  if (/^(?:env|headers)$/.test(name) && isTexts(value)) return hideValues(hider, field, value);
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, hideMember(hider, `${field}.${key}`, key, member)]),
  );
}

const isText = (value: unknown): value is string => typeof value === "string";
const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const isTexts = (value: unknown): value is Record<string, string> =>
  isObject(value) && !Array.isArray(value) && Object.values(value).every(isText);

/** The same value under the same name is one secret; another value under that name gets a number. */
function freeNames(taken: readonly string[]): (name: string, value: string) => NewName {
  const used = new Set(taken);
  const known = new Map<string, string>();
  const numbers = new Map<string, number>();
  return (name, value) => {
    const free = known.get(`${name} ${value}`);
    if (free !== undefined) return { free, isNew: false };
    let number = numbers.get(name) ?? 1;
    const numbered = () => (number === 1 ? name : `${name.slice(0, 57)}_${number}`);
    // Ends after as many tries as there are names.
    while (used.has(numbered())) number++;
    const found = numbered();
    used.add(found);
    known.set(`${name} ${value}`, found);
    numbers.set(name, number);
    return { free: found, isNew: true };
  };
}

interface NewName {
  free: string;
  isNew: boolean;
}

/** The first field of each name: that of a variable or header rather than a list of all. */
function fieldsOf(config: McpServerConfig): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  const note = (field: string, value: unknown) => {
    for (const name of namesIn(value)) if (!fields.has(name)) fields.set(name, field);
  };
  for (const field of ["env", "headers", "oauth"] as const)
    for (const [key, value] of Object.entries(config[field] ?? {})) note(`${field}.${key}`, value);
  if (Array.isArray(config.args))
    for (const [index, arg] of config.args.entries()) note(`args[${index}]`, arg);
  for (const [key, value] of Object.entries(config)) note(key, value);
  return fields;
}
