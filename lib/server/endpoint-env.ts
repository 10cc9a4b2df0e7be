import { z } from "zod";
import type { EndpointConfig } from "@/lib/providers/shared/definition";
import { apiKey, endpointFields, findTwice, headers, maxEndpoints } from "./endpoint-shape";
import { StartError } from "./env";

/** What `MEGURI_ENDPOINTS` says. */
export interface EndpointEnv {
  endpoints: readonly EndpointConfig[];
  /** Those that it takes keys from: as private as our own. */
  variables: readonly string[];
}

const schema = z
  .array(z.strictObject({ ...endpointFields, apiKey: apiKey.optional(), headers: headers.optional() }))
  .max(maxEndpoints);

/** Throws `StartError` that names the place and what it wants. */
export function readEndpointEnv(
  text: string | undefined,
  source: Readonly<Record<string, string | undefined>>,
): EndpointEnv {
  if (text === undefined) return { endpoints: [], variables: [] };
  const variables: string[] = [];
  const expand = (value: unknown): unknown => {
    if (typeof value !== "string") return value;
    return value.replace(/\$\{env:(\w+)\}/g, (_, name: string) => {
      const found = source[name];
      if (!found) throw new StartError(`MEGURI_ENDPOINTS takes a key from ${name}, which is not set.`);
      variables.push(name);
      return found;
    });
  };
  const parsed = schema.safeParse(expandSecrets(parseJson(text), expand));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new StartError(
      `${["MEGURI_ENDPOINTS", ...(issue?.path ?? [])].join(".")} ${issue?.message.replace(/\.$/, "")}.`,
    );
  }
  const twice = parsed.data[findTwice(parsed.data)];
  if (twice)
    throw new StartError(`MEGURI_ENDPOINTS has the id "${twice.id}" twice; give each endpoint its own.`);
  const endpoints = parsed.data.map(
    ({ apiKey: key, headers: extra, models, ...endpoint }): EndpointConfig => ({
      ...endpoint,
      ...(key && { apiKey: key }),
      ...(extra && { headers: extra }),
      ...(models && { models }),
      source: "environment",
    }),
  );
  return { endpoints, variables };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StartError(
      'MEGURI_ENDPOINTS must be a JSON list, for example [{"id": "acme", "name": "Acme", "baseURL": "https://llm.acme.dev/v1"}].',
    );
  }
}

/** Only keys and values of headers: an address or a name stays as it is written. */
function expandSecrets(list: unknown, expand: (value: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list;
  return list.map((entry) => {
    if (!isObject(entry)) return entry;
    const extra = entry.headers;
    return {
      ...entry,
      ...("apiKey" in entry && { apiKey: expand(entry.apiKey) }),
      ...(isObject(extra) && {
        headers: Object.fromEntries(Object.entries(extra).map(([name, value]) => [name, expand(value)])),
      }),
    };
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
