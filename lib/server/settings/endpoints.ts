import type { EndpointApi, EndpointItem } from "@/lib/protocol/settings";
import type { EndpointConfig } from "@/lib/providers/shared/definition";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { EndpointPatch } from "@/lib/server/contract/settings";
import { HttpError } from "@/lib/server/http/errors";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";
import { type EndpointSecrets, mergeSecrets } from "./merge-access";

type EndpointDeps = Pick<BaseDeps, "store" | "secrets" | "log" | "endpointEnv">;

/** As it is stored: all but the secrets can be read without APP_SECRET. */
interface StoredEndpoint {
  id: string;
  name: string;
  baseURL: string;
  api: EndpointApi;
  models?: string[];
  sealed?: string;
}

const key = "endpoints";

export const sealedEndpoints: SealedSetting = {
  fits: (name) => name === key,
  reseal: (value, again) =>
    (value as StoredEndpoint[]).map((stored) =>
      stored.sealed ? { ...stored, sealed: again(purposeOf(stored.baseURL), stored.sealed) } : stored,
    ),
};

/** Those of the environment, then those that were entered under other ids. */
export async function readEndpoints(deps: EndpointDeps): Promise<EndpointConfig[]> {
  const given = deps.endpointEnv.endpoints;
  const stored = (await deps.store.settings.get<StoredEndpoint[]>("system", key)) ?? [];
  const entered = stored.filter(({ id }) => !isGiven(deps, id));
  return [...given, ...entered.map((endpoint) => open(deps, endpoint))];
}

/** Replaces those that were entered, in one transaction; 409 for one that the environment names. */
export async function updateEndpoints(deps: EndpointDeps, changes: readonly EndpointPatch[]): Promise<void> {
  for (const [at, { id }] of changes.entries())
    if (isGiven(deps, id))
      throw new HttpError(
        409,
        "managed_by_environment",
        `endpoints.${at}.id: ${id} is set by MEGURI_ENDPOINTS; change it there.`,
      );
  await deps.store.settings.update("system", key, (before: StoredEndpoint[] = []) => [
    // One that the environment hides for now is not in the list that people see.
    ...before.filter(({ id }) => isGiven(deps, id)),
    ...changes.map((change) =>
      toStored(
        deps,
        change,
        before.find(({ id }) => id === change.id),
      ),
    ),
  ]);
}

const isGiven = ({ endpointEnv }: Pick<EndpointDeps, "endpointEnv">, id: string): boolean =>
  endpointEnv.endpoints.some((endpoint) => endpoint.id === id);

function open(deps: Pick<EndpointDeps, "secrets" | "log">, stored: StoredEndpoint): EndpointConfig {
  const { sealed, ...endpoint } = stored;
  const secrets = openSecrets(deps, stored);
  if (sealed && !secrets)
    deps.log.warn(
      `The key of the endpoint ${stored.id} in the settings was stored under another APP_SECRET; start with that one, or enter it again.`,
    );
  return { ...endpoint, ...secrets, source: "settings" };
}

/** A secret goes to the address that it was entered for: for a new one it is entered again. */
function toStored(
  deps: Pick<EndpointDeps, "secrets">,
  { id, name, baseURL, api, models, ...change }: EndpointPatch,
  before: StoredEndpoint | undefined,
): StoredEndpoint {
  const kept = before?.baseURL === baseURL ? before : undefined;
  const isKept = change.apiKey === undefined && change.headers === undefined;
  // As it is: also one that was sealed under another secret.
  const sealed = isKept
    ? kept?.sealed
    : sealSecrets(deps, baseURL, mergeSecrets(change, kept && openSecrets(deps, kept)));
  return { id, name, baseURL, api, ...(models && { models }), ...(sealed && { sealed }) };
}

/** The address is part of the purpose: with another one beside it the secret cannot be read. */
const purposeOf = (baseURL: string) => `endpoint access ${baseURL}`;

function sealSecrets({ secrets }: Pick<EndpointDeps, "secrets">, baseURL: string, own: EndpointSecrets) {
  if (Object.keys(own).length === 0) return undefined;
  return seal(secrets.appSecret, purposeOf(baseURL), JSON.stringify(own));
}

function openSecrets(
  { secrets }: Pick<EndpointDeps, "secrets">,
  { baseURL, sealed }: StoredEndpoint,
): EndpointSecrets | undefined {
  const text = sealed && unseal(secrets.appSecret, purposeOf(baseURL), sealed);
  return text ? (JSON.parse(text) as EndpointSecrets) : undefined;
}

/** As the page shows it: of a key its last four characters, of headers their names. */
export const showEndpoint = ({
  id,
  name,
  baseURL,
  api,
  source,
  apiKey,
  headers = {},
  models,
}: EndpointConfig): EndpointItem => ({
  ...{ id, name, baseURL, api, source },
  keyEnd: apiKey?.slice(-4) ?? null,
  headerNames: Object.keys(headers),
  ...(models && { models: [...models] }),
});

/** What must not be seen by strangers; a plain word or an address among the headers is no secret. */
export const secretsOf = ({ apiKey, headers = {} }: EndpointConfig): string[] => [
  ...(apiKey ? [apiKey] : []),
  ...Object.values(headers).filter((value) => value.length >= 8 && !/^[A-Za-z]+$|^https?:/.test(value)),
];
