import type { McpServerConfig } from "@/lib/protocol/mcp";
import { McpConfigError } from "./config-fault";
import { isReference, replaceOtherwise } from "./expand-variables";

const dots = "••••";
const secretName =
  /secret|token|passw|passphrase|passcode|api.?key|credential|auth|signature|cookie|private.?key|assertion|^(key|sig|code)$/i;
/** `MYSQL_PASS`, `dbPass`, `SMTPPASS`, `REDIS_PWD`, `JIRA_PAT`: inside the name or at its end. */
const shortName = /(?:^|[_.-])(?:pass|pwd|pw|pat)(?:$|[_.-])|(?:pass|pwd)$/i;
const camelName = /[a-z\d](?:Pw|Pat)(?:$|[A-Z_])|[a-z\d](?:Pass|Pwd)[A-Z]/;
/** Variables of the shell, and words that happen to end in the same way. */
const noSecretName = /^(?:old)?pwd$|(?:by|com|encom|sur|tres)pass$/i;

/** Whether a field, header or parameter with this name holds a secret. */
export const isSecretName = (name: string): boolean =>
  secretName.test(name) || ((shortName.test(name) || camelName.test(name)) && !noSecretName.test(name));

/** Dots, and the last four characters of a value that is long enough; of a reference only its default is masked. */
export function maskSecret(value: string): string {
  if (isReference(value)) return replaceOtherwise(value, dots);
  return value.length > 12 ? dots + value.slice(-4) : dots;
}

/**
 * The entry as it may be shown: masks values of `env` and `headers`, secrets in `url`, and all that is named like a
 * secret.
 */
export function maskConfig(config: McpServerConfig): McpServerConfig {
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => {
      if (name === "url" && typeof value === "string") return [name, maskUrl(value)];
      if ((name === "env" || name === "headers") && isObject(value)) return [name, maskValues(value)];
      return [name, name === "args" ? value : maskNamed(name, value)];
    }),
  );
}

export function maskUrl(text: string): string {
  if (!URL.canParse(text)) return replaceOtherwise(text, dots);
  const url = new URL(text);
  let changed = false;
  if (url.password) {
    url.password = dots;
    changed = true;
  }
  for (const [name, value] of [...url.searchParams])
    if (isSecretName(name) && value && maskSecret(value) !== value) {
      url.searchParams.set(name, maskSecret(value));
      changed = true;
    }
  // The address parser has changed the reference; saved like that it would not be a reference any more.
  return changed ? decodeURI(url.href).replaceAll("%24{", "${").replaceAll("%3A-", ":-") : text;
}

/** Restores the stored values of masked ones; throws for a mask that no stored value belongs to. */
export function restoreMasked(next: McpServerConfig, stored: McpServerConfig): McpServerConfig {
  return restore(next, stored, maskConfig(stored), "") as McpServerConfig;
}

function restore(next: unknown, stored: unknown, masked: unknown, path: string): unknown {
  if (typeof next === "string") {
    if (next === masked) return stored;
    if (next.includes(dots))
      throw new McpConfigError(
        "invalid",
        `${path} holds a masked value that is not the stored one. Type it again.`,
        path,
      );
    return next;
  }
  if (Array.isArray(next) || !isObject(next)) return next;
  return Object.fromEntries(
    Object.entries(next).map(([name, value]) => [
      name,
      restore(value, own(stored, name), own(masked, name), path ? `${path}.${name}` : name),
    ]),
  );
}

function maskNamed(name: string, value: unknown): unknown {
  if (typeof value === "string") return isSecretName(name) ? maskSecret(value) : value;
  if (!isObject(value) || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([inner, member]) => [inner, maskNamed(inner, member)]),
  );
}

const maskValues = (values: object) =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === "string" ? maskSecret(value) : value,
    ]),
  );

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;
const own = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
