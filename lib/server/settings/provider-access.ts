import type { ModelTraits, ProviderItem, ProviderName } from "@/lib/protocol/http";
import type { ProviderConfig } from "@/lib/providers/types";
import type { Deps } from "@/lib/server/deps";
import type { Env } from "@/lib/server/env";
import { seal, unseal } from "@/lib/server/seal";

/** How to reach a provider, as a person has entered it. */
export interface Access {
  apiKey?: string;
  baseURL?: string;
}

export type AccessByProvider = Partial<Record<ProviderName, Access>>;

export const providerNames: readonly ProviderName[] = ["google", "openai", "anthropic", "ollama"];

const purpose = "provider access";
/** Each has a row of its own: one that was sealed under another secret stays while others are entered. */
const key = (id: ProviderName) => `provider:${id}`;

/** What was entered in the settings; nothing of what was encrypted under another secret. */
export async function readAccess({
  store,
  secrets,
  log,
}: Pick<Deps, "store" | "secrets" | "log">): Promise<AccessByProvider> {
  const read = await Promise.all(
    providerNames.map(async (id) => {
      const sealed = await store.settings.get<string>("system", key(id));
      const text = sealed && unseal(secrets.appSecret, purpose, sealed);
      if (sealed && text === undefined)
        log.warn(
          `The access to ${id} in the settings was stored under another APP_SECRET; start with that one, or enter it again.`,
        );
      return text ? [[id, JSON.parse(text) as Access] as const] : [];
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
  for (const id of providerNames)
    if (known[id] && !(await settings.get("system", key(id)))) await writeAccess(deps, id, known[id]);
  await settings.delete("system", together);
}

/** Null forgets. */
export async function writeAccess(
  { store, secrets }: Pick<Deps, "store" | "secrets">,
  id: ProviderName,
  access: Access | null,
): Promise<void> {
  if (access)
    await store.settings.set("system", key(id), seal(secrets.appSecret, purpose, JSON.stringify(access)));
  else await store.settings.delete("system", key(id));
}

/** What the environment says. */
export function accessOf(env: Env): AccessByProvider {
  const googleKey = env.GOOGLE_GENERATIVE_AI_API_KEY ?? env.GEMINI_API_KEY ?? env.GOOGLE_API_KEY;
  const ollama = env.OLLAMA_BASE_URL ?? env.OLLAMA_HOST;
  return {
    google: access(googleKey, env.GOOGLE_GENERATIVE_AI_BASE_URL),
    openai: access(env.OPENAI_API_KEY, env.OPENAI_BASE_URL),
    anthropic: access(env.ANTHROPIC_API_KEY, env.ANTHROPIC_BASE_URL),
    ollama: access(undefined, ollama && !/^https?:/.test(ollama) ? `http://${ollama}` : ollama),
  };
}

const access = (apiKey: string | undefined, baseURL: string | undefined): Access => ({
  ...(apiKey && { apiKey }),
  ...(baseURL && { baseURL }),
});

/** What was entered stands in place of what the environment says. */
export function providerConfig(
  env: Env,
  entered: AccessByProvider,
  traits: Record<string, ModelTraits>,
): ProviderConfig {
  const { google, openai, anthropic, ollama } = { ...accessOf(env), ...entered };
  return {
    ...(google?.apiKey && { google: { ...google, apiKey: google.apiKey } }),
    ...((openai?.apiKey || openai?.baseURL) && { openai }),
    ...(anthropic?.apiKey && { anthropic: { ...anthropic, apiKey: anthropic.apiKey } }),
    ollama: ollama?.baseURL ? { baseURL: ollama.baseURL } : {},
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
export function showAccess(env: Env, entered: AccessByProvider): ProviderItem[] {
  const given = accessOf(env);
  return providerNames.map((id) => {
    const used = entered[id] ?? given[id] ?? {};
    const isSet = used.apiKey !== undefined || used.baseURL !== undefined;
    return {
      id,
      source: entered[id] ? "settings" : isSet ? "environment" : null,
      keyEnd: used.apiKey?.slice(-4) ?? null,
      baseURL: used.baseURL ?? null,
    };
  });
}
