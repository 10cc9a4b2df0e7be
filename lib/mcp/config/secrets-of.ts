import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { expandVariables, isReference, type Variables } from "./expand-variables";
import type { HttpLaunch } from "./launch";
import { isSecretName } from "./mask-config";

/** What is shorter is found in any text. */
const minLength = 8;

/**
 * The secrets of an entry, variables put in: values of `env`; of headers and parameters of `url` those that are named like
 * one, and what a variable gives, however its header is called.
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

/** What each request to an HTTP server tells it and it must not repeat: values of headers and parameters that are named like a secret. */
export const sentSecrets = ({ url, headers }: Pick<HttpLaunch, "url" | "headers">): string[] =>
  secretWords([...namedSecrets(Object.entries(headers)), ...namedSecrets(url.searchParams)]);

const namedSecrets = (fields: Iterable<[name: string, value: string]>): string[] =>
  [...fields].flatMap(([name, value]) => (isSecretName(name) ? [value] : []));

const references = /\$\{[^{}]+\}/g;

/** What is to be sought of secret values: of "Bearer abc…" the token alone as well. */
export function secretWords(values: readonly string[]): string[] {
  const words = values.flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...new Set(words)].filter((word) => word.length >= minLength);
}

/** The absolute folders and files that an entry names, variables put in: where it works, its roots, and its arguments. */
export function foldersOf({ cwd, roots, args, command }: McpServerConfig, variables: Variables): string[] {
  return [cwd ?? "", ...(roots ?? []), ...(args ?? []), command ?? ""].flatMap((value) => {
    try {
      const text = expandVariables(value, "", variables).replace(/^--?[\w-]+=/, "");
      const path = text.startsWith("file://") ? fileURLToPath(text) : text;
      return isAbsolute(path) ? [path] : [];
    } catch {
      // A variable without a value, or no address of a file: nothing is there to be named.
      return [];
    }
  });
}

/** What names a variable that cannot be put in counts as it is written; a reference alone holds no secret. */
function put(value: string, variables: Variables): string {
  try {
    return expandVariables(value, "", variables);
  } catch {
    return isReference(value) ? "" : value;
  }
}
