import type { ModelTraits, ProviderItem, ProviderName } from "@/lib/protocol/http";
import type { ProviderConfig } from "@/lib/providers/types";
import type { Deps } from "./deps";
import type { Env } from "./env";
import { seal, unseal } from "./seal";

/** How to reach a provider, as a person has entered it. */
export interface Access {
  apiKey?: string;
  baseURL?: string;
}

export type AccessByProvider = Partial<Record<ProviderName, Access>>;

export const providerNames: readonly ProviderName[] = ["google", "openai", "anthropic", "ollama"];

const purpose = "provider access";
const key = "providers";

/** What was entered in the settings; nothing when it was encrypted under another secret. */
export async function readAccess(deps: Pick<Deps, "store" | "secrets" | "log">): Promise<AccessByProvider> {
  const sealed = await deps.store.settings.get<string>("system", key);
  if (sealed === undefined) return {};
  const text = unseal(deps.secrets.appSecret, purpose, sealed);
  if (text !== undefined) return JSON.parse(text) as AccessByProvider;
  deps.log.warn("The keys in the settings were stored under another APP_SECRET; enter them again.");
  return {};
}

export async function writeAccess(
  { store, secrets }: Pick<Deps, "store" | "secrets">,
  access: AccessByProvider,
): Promise<void> {
  await store.settings.set("system", key, seal(secrets.appSecret, purpose, JSON.stringify(access)));
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
