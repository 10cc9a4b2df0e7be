import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { expandVariables, isReference, type Variables } from "./expand-variables";
import type { Launch } from "./launch";
import { isSecretName } from "./mask-config";

/** Shorter values occur in any text by chance. */
const minLength = 8;

/**
 * The secrets of an entry, with variables expanded: all values of `env`; values of headers and `url` parameters that are
 * named like a secret; and the values of variables in any header.
 */
export function secretsOf({ env, headers, oauth, url }: McpServerConfig, variables: Variables): string[] {
  const values = [
    ...Object.values(env ?? {}),
    ...[oauth?.clientSecret ?? "", oauth?.privateKey ?? "", oauth?.assertion ?? ""],
    ...namedSecrets(Object.entries(headers ?? {})),
    ...[...Object.values(headers ?? {}), url ?? ""].flatMap((value) => value.match(references) ?? []),
  ].map((value) => put(value, variables));
  const address = URL.parse(put(url ?? "", variables));
  return secretWords([...values, ...namedSecrets(address?.searchParams ?? [])]);
}

/**
 * What a server is given, and must not be disclosed by it: its secrets, and values of headers, parameters and `env` that are
 * named like one.
 */
export function sentSecrets(launch: Launch): string[] {
  const named =
    launch.kind === "http"
      ? [...Object.entries(launch.headers), ...launch.url.searchParams]
      : Object.entries(launch.env);
  return secretWords([...namedSecrets(named), ...(launch.secrets ?? [])]);
}

const namedSecrets = (fields: Iterable<[name: string, value: string]>): string[] =>
  [...fields].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));

const references = /\$\{[^{}]+\}/g;

/** The words to look for: the value, and its parts, such as the token of "Bearer abc…". */
export function secretWords(values: readonly string[]): string[] {
  const words = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...new Set(words)].filter((word) => word.length >= minLength);
}

/** The absolute paths that an entry names, with variables expanded: its `cwd`, roots, command and arguments. */
export function foldersOf({ cwd, roots, args, command }: McpServerConfig, variables: Variables): string[] {
  return [cwd ?? "", ...(roots ?? []), ...(args ?? []), command ?? ""].flatMap((value) => {
    try {
      const text = expandVariables(value, "", variables).replace(/^--?[\w-]+=/, "");
      const path = text.startsWith("file://") ? fileURLToPath(text) : text;
      return isAbsolute(path) ? [path] : [];
    } catch {
      // A variable without a value, or not a file URL: it names no path.
      return [];
    }
  });
}

/** A text that cannot be expanded counts as it is written; a reference alone holds no secret. */
function put(value: string, variables: Variables): string {
  try {
    return expandVariables(value, "", variables);
  } catch {
    return isReference(value) ? "" : value;
  }
}
