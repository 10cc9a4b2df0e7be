import type { ModelTraits, ProviderItem } from "@/lib/protocol/http";
import { providerTable } from "@/lib/providers/provider-table";
import type { ProviderAccess } from "@/lib/providers/shared/definition";
import type { AccessByProvider, ProviderConfig } from "@/lib/providers/types";
import type { Deps } from "@/lib/server/deps";
import type { Env } from "@/lib/server/env";
import { seal, unseal } from "@/lib/server/seal";
import { accessOf } from "./provider-env";

const purpose = "provider access";
/** Each has a row of its own: one that was sealed under another secret stays while others are entered. */
const key = (id: string) => `provider:${id}`;

/** What was entered in the settings; nothing of what was encrypted under another secret. */
export async function readAccess({
  store,
  secrets,
  log,
}: Pick<Deps, "store" | "secrets" | "log">): Promise<AccessByProvider> {
  const read = await Promise.all(
    providerTable.map(async ({ id }) => {
      const sealed = await store.settings.get<string>("system", key(id));
      const text = sealed && unseal(secrets.appSecret, purpose, sealed);
      if (sealed && text === undefined)
        log.warn(
          `The access to ${id} in the settings was stored under another APP_SECRET; start with that one, or enter it again.`,
        );
      return text ? [[id, JSON.parse(text) as ProviderAccess] as const] : [];
    }),
  );
  return Object.fromEntries(read.flat());
}

/** At a start, before anything is read: what an earlier version kept in one row for all, a row for each. */
export async function adoptAccess(deps: Pick<Deps, "store" | "secrets">): Promise<void> {
  const together = "providers";
  const { settings } = deps.store;
  const sealed = await settings.get<string>("system", together);
  const text = sealed && unseal(deps.secrets.appSecret, purpose, sealed);
  // Sealed under another secret it waits for a start with that one.
  if (!text) return;
  const known = JSON.parse(text) as AccessByProvider;
  for (const { id } of providerTable)
    if (known[id] && !(await settings.get("system", key(id)))) await writeAccess(deps, id, known[id]);
  await settings.delete("system", together);
}

/** Null forgets. */
export async function writeAccess(
  { store, secrets }: Pick<Deps, "store" | "secrets">,
  id: string,
  access: ProviderAccess | null,
): Promise<void> {
  if (access)
    await store.settings.set("system", key(id), seal(secrets.appSecret, purpose, JSON.stringify(access)));
  else await store.settings.delete("system", key(id));
}

/** What was entered stands in place of what the environment says. */
export function providerConfig(
  { env, providerEnv }: Pick<Deps, "env" | "providerEnv">,
  entered: AccessByProvider,
  traits: Record<string, ModelTraits>,
): ProviderConfig {
  return {
    access: { ...accessOf(providerEnv), ...entered },
    ...(env.DEFAULT_MODEL && { defaultModel: env.DEFAULT_MODEL }),
    traits: { ...traitsOf(env), ...traits },
  };
}

const traitsOf = ({ PROMPTED_JSON_MODELS }: Env): Record<string, ModelTraits> =>
  Object.fromEntries(PROMPTED_JSON_MODELS.map((model) => [model, { toolCalls: "json" }]));

/** What was said of models in the settings, by `provider/name`. */
export const readTraits = async ({ store }: Pick<Deps, "store">): Promise<Record<string, ModelTraits>> =>
  (await store.settings.get<Record<string, ModelTraits>>("system", "models")) ?? {};

/** As the page shows it: of a key its last four characters. */
export function showAccess(given: AccessByProvider, entered: AccessByProvider): ProviderItem[] {
  return providerTable.map(({ id, name, help, addressHint, keyVariables, local }) => {
    const used = entered[id] ?? given[id] ?? {};
    const isSet = used.apiKey !== undefined || used.baseURL !== undefined;
    return {
      ...{ id, name, help, addressHint },
      takesKey: keyVariables.length > 0,
      isLocal: local !== undefined,
      source: entered[id] ? "settings" : isSet ? "environment" : null,
      keyEnd: used.apiKey?.slice(-4) ?? null,
      baseURL: used.baseURL ?? null,
    };
  });
}
