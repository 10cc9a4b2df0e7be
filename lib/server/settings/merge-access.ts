import type { z } from "zod";
import type { ProviderAccess } from "@/lib/providers/shared/definition";
import type { ProviderAccess as AccessBody } from "@/lib/server/contract/settings";
import { HttpError } from "@/lib/server/http/errors";

type AccessChange = z.output<typeof AccessBody>;

/** A key is sent only to the address that it was entered for: for another one it is entered again. */
export function mergeAccess(
  path: string,
  before: ProviderAccess,
  { apiKey, baseURL }: AccessChange,
): ProviderAccess {
  const address = baseURL === undefined ? before.baseURL : (baseURL ?? undefined);
  if (before.apiKey && apiKey === undefined && address !== before.baseURL)
    throw new HttpError(
      400,
      "invalid_input",
      `${path}: enter the key again; the one that is kept goes to its own address only.`,
    );
  const key = apiKey ?? before.apiKey;
  return { ...(key && { apiKey: key }), ...(address && { baseURL: address }) };
}

/** Of an endpoint, what is sealed. */
export interface EndpointSecrets {
  apiKey?: string;
  headers?: Readonly<Record<string, string>>;
}

/** What is absent stays; null and an empty object remove. */
export function mergeSecrets(
  change: { apiKey?: string | null | undefined; headers?: Record<string, string> | undefined },
  before: EndpointSecrets = {},
): EndpointSecrets {
  const apiKey = change.apiKey === undefined ? before.apiKey : change.apiKey;
  const headers = change.headers ?? before.headers ?? {};
  return { ...(apiKey && { apiKey }), ...(Object.keys(headers).length > 0 && { headers }) };
}
