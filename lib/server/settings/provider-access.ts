import type { ModelTraits, ProviderItem } from "@/lib/protocol/settings";
import { providerTable } from "@/lib/providers/provider-table";
import type { EndpointConfig, ProviderAccess } from "@/lib/providers/shared/definition";
import type { AccessByProvider, ProviderConfig } from "@/lib/providers/types";
import type { BaseDeps } from "@/lib/server/base-deps";
import type { Env } from "@/lib/server/env";
import { accessOf } from "@/lib/server/provider-env";
import { type SealedSetting, seal, unseal } from "@/lib/server/seal";

const purpose = "provider access";
/** One row for each: one that was sealed under another secret stays while others are entered. */
const key = (id: string) => `provider:${id}`;
/** Where an earlier version kept all of them. */
const together = "providers";

/** Of the settings, those of which the providers are made. */
export const providerKeys: readonly string[] = [
  ...providerTable.map(({ id }) => key(id)),
  "endpoints",
  "models",
];

export const sealedAccess: SealedSetting = {
  fits: (name) => name.startsWith(key("")) || name === together,
  reseal: (value, again) => again(purpose, value as string),
};

/** What was entered in the settings; nothing of what was encrypted under another secret. */
export async function readAccess(
  deps: Pick<BaseDeps, "store" | "secrets" | "log">,
): Promise<AccessByProvider> {
  const sealed = new Map<string, string>();
  for (const { id } of providerTable) {
    const text = await deps.store.settings.get<string>("system", key(id));
    if (text) sealed.set(key(id), text);
  }
  const entered = openAccess(deps, sealed);
  for (const { id } of providerTable)
    if (sealed.has(key(id)) && !entered[id])
      deps.log.warn(
        `The access to ${id} in the settings was stored under another APP_SECRET; start with that one, or enter it again.`,
      );
  return entered;
}

/** Changes what was entered, in one transaction; null forgets. */
export async function updateAccess(
  deps: Pick<BaseDeps, "store" | "secrets">,
  change: (entered: AccessByProvider) => Readonly<Record<string, ProviderAccess | null>>,
): Promise<void> {
  const keys = providerTable.map(({ id }) => key(id));
  await deps.store.settings.updateAll<string>("system", keys, (sealed) => {
    const changed = Object.entries(change(openAccess(deps, sealed)));
    return new Map(changed.map(([id, access]) => [key(id), access && sealAccess(deps, access)]));
  });
}

/** At a start, before anything is read: what an earlier version kept in one row for all, a row for each. */
export async function adoptAccess(deps: Pick<BaseDeps, "store" | "secrets">): Promise<void> {
  const keys = [together, ...providerTable.map(({ id }) => key(id))];
  await deps.store.settings.updateAll<string>("system", keys, (sealed) => {
    const text = unseal(deps.secrets.appSecret, purpose, sealed.get(together) ?? "");
    // Sealed under another secret it waits for a start with that one.
    if (!text) return new Map();
    const known = JSON.parse(text) as AccessByProvider;
    const next = new Map<string, string | null>([[together, null]]);
    for (const { id } of providerTable)
      if (known[id] && !sealed.has(key(id))) next.set(key(id), sealAccess(deps, known[id]));
    return next;
  });
}

function openAccess(
  { secrets }: Pick<BaseDeps, "secrets">,
  sealed: ReadonlyMap<string, string>,
): AccessByProvider {
  const entered: Record<string, ProviderAccess> = {};
  for (const { id } of providerTable) {
    const text = unseal(secrets.appSecret, purpose, sealed.get(key(id)) ?? "");
    if (text) entered[id] = JSON.parse(text) as ProviderAccess;
  }
  return entered;
}

const sealAccess = ({ secrets }: Pick<BaseDeps, "secrets">, access: ProviderAccess): string =>
  seal(secrets.appSecret, purpose, JSON.stringify(access));

/** What was entered replaces what the environment says. */
export function providerConfig(
  { env, providerEnv }: Pick<BaseDeps, "env" | "providerEnv">,
  entered: AccessByProvider,
  endpoints: readonly EndpointConfig[],
  traits: Record<string, ModelTraits>,
): ProviderConfig {
  return {
    access: { ...accessOf(providerEnv), ...entered },
    endpoints,
    ...(env.DEFAULT_MODEL && { defaultModel: env.DEFAULT_MODEL }),
    traits: withTraitsOf(env, traits),
  };
}

/** What the settings say of a model replaces what the environment says field by field, so that an effort takes nothing away. */
const withTraitsOf = ({ PROMPTED_JSON_MODELS }: Env, traits: TraitsByModel): TraitsByModel => ({
  ...traits,
  ...Object.fromEntries(
    PROMPTED_JSON_MODELS.map((model) => [model, { toolCalls: "json", ...traits[model] }] as const),
  ),
});

type TraitsByModel = Record<string, ModelTraits>;

/** What was said of models in the settings, by `provider/name`. */
export const readTraits = async ({ store }: Pick<BaseDeps, "store">): Promise<TraitsByModel> =>
  (await store.settings.get<TraitsByModel>("system", "models")) ?? {};

export const updateTraits = (
  { store }: Pick<BaseDeps, "store">,
  change: (traits: TraitsByModel) => TraitsByModel,
): Promise<TraitsByModel> =>
  store.settings.update("system", "models", (traits: TraitsByModel = {}) => change(traits));

/** As the page shows it: of a key its last four characters. */
export function showAccess(given: AccessByProvider, entered: AccessByProvider): ProviderItem[] {
  return providerTable.map(({ id, name, shortName = name, help, addressHint, keyVariables, local }) => {
    const used = entered[id] ?? given[id] ?? {};
    const isSet = used.apiKey !== undefined || used.baseURL !== undefined;
    return {
      id,
      name,
      shortName,
      help,
      addressHint,
      takesKey: keyVariables.length > 0,
      isLocal: local !== undefined,
      source: entered[id] ? "settings" : isSet ? "environment" : null,
      keyEnd: used.apiKey?.slice(-4) ?? null,
      baseURL: used.baseURL ?? null,
    };
  });
}
