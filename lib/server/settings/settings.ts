import type { z } from "zod";
import type { Hint } from "@/lib/protocol/hints";
import type { ModelList, ModelTraits, SettingsItem, StoredSettings } from "@/lib/protocol/settings";
import { providerTable } from "@/lib/providers/provider-table";
import type { ProviderAccess } from "@/lib/providers/shared/definition";
import { knownModelsDate } from "@/lib/providers/shared/known-models";
import { type SettingsPatch, unsetSettings } from "@/lib/server/contract/settings";
import { HttpError } from "@/lib/server/http/errors";
import { accessOf } from "@/lib/server/provider-env";
import { tellOwner } from "@/lib/store/bus";
import { chooseModel } from "./choose-model";
import { readEndpoints, showEndpoint, updateEndpoints } from "./endpoints";
import { limitsInForce } from "./limits";
import { mergeAccess } from "./merge-access";
import { listPrices, ownPrice, readOwnPrices, writeOwnPrices } from "./prices";
import { readAccess, showAccess, updateAccess, updateTraits } from "./provider-access";
import type { SettingsDeps } from "./settings-deps";

type Patch = z.output<typeof SettingsPatch>;

export async function readSettings(deps: SettingsDeps, userId: string): Promise<SettingsItem> {
  const stored = await readStored(deps, userId);
  return {
    ...stored,
    toolApproval: deps.env.TOOL_APPROVAL,
    storedIn: deps.env.DATABASE_URL === undefined ? "folder" : "database",
    providers: showAccess(accessOf(deps.providerEnv), await readAccess(deps)),
    endpoints: (await readEndpoints(deps)).map(showEndpoint),
    limitsInForce: limitsInForce(stored.limits),
    prices: await listPrices(deps),
    pricesDate: knownModelsDate,
  };
}

async function readStored({ store }: SettingsDeps, userId: string): Promise<StoredSettings> {
  const read = Object.entries(unsetSettings).map(async ([key, unset]) => [
    key,
    (await store.settings.get(userId, key)) ?? unset,
  ]);
  return Object.fromEntries(await Promise.all(read));
}

export async function patchSettings(deps: SettingsDeps, userId: string, patch: Patch): Promise<SettingsItem> {
  const { bus } = deps.store;
  try {
    await writePatch(deps, userId, patch);
  } finally {
    if (shared.some((field) => patch[field] !== undefined))
      bus.publish("everybody", "settings" satisfies Hint);
    else tellOwner(bus, userId, "settings");
  }
  return readSettings(deps, userId);
}

/** The same for everybody. */
const shared = ["providers", "endpoints", "models", "prices"] as const;

async function writePatch(deps: SettingsDeps, userId: string, patch: Patch): Promise<void> {
  const { providers, endpoints, models, prices, ...stored } = patch;
  const checkDefault = async () => stored.defaultModel && chooseModel(deps, userId, stored.defaultModel);
  // One that comes with its server is known only after it; of another one that is wrong, nothing is kept.
  const bringsModels = providers !== undefined || endpoints !== undefined;
  if (!bringsModels) await checkDefault();
  if (prices) await writeOwnPrices(deps, prices);
  if (models) await patchTraits(deps, models);
  if (providers) await patchProviders(deps, providers);
  if (endpoints) await patchEndpoints(deps, endpoints);
  if (bringsModels) await checkDefault();
  for (const [key, value] of Object.entries(stored))
    if (value !== undefined) await deps.store.settings.set(userId, key, value);
  if (stored.retention) void deps.retention.wake();
}

const maxTraits = 1_000;

async function patchTraits(deps: SettingsDeps, changes: NonNullable<Patch["models"]>): Promise<void> {
  await updateTraits(deps, (before) => {
    const traits = { ...before };
    for (const [model, said] of Object.entries(changes)) {
      const now = said && mergeTraits(traits[model], said);
      if (now && Object.keys(now).length > 0) traits[model] = now;
      else delete traits[model];
    }
    if (Object.keys(traits).length > maxTraits)
      throw new HttpError(400, "invalid_input", `models: at most ${maxTraits} models can be described.`);
    return traits;
  });
  await deps.providers.reload();
}

/** What is not named stays; a field that is null is taken back. */
const mergeTraits = (
  before: ModelTraits | undefined,
  said: NonNullable<NonNullable<Patch["models"]>[string]>,
): ModelTraits =>
  Object.fromEntries(
    Object.entries({ ...before, ...said }).filter(([, value]) => value !== null && value !== undefined),
  );

/** What is not named stays as it is in force; a provider that is null is forgotten. Where one is refused, none changes. */
async function patchProviders(deps: SettingsDeps, changes: NonNullable<Patch["providers"]>): Promise<void> {
  const given = accessOf(deps.providerEnv);
  await updateAccess(deps, (entered) => {
    const next: Record<string, ProviderAccess | null> = {};
    for (const { id } of providerTable) {
      const change = changes[id];
      if (change === null) next[id] = null;
      else if (change)
        next[id] = mergeAccess(`providers.${id}.apiKey`, entered[id] ?? given[id] ?? {}, change);
    }
    return next;
  });
  await deps.providers.reload();
}

async function patchEndpoints(deps: SettingsDeps, changes: NonNullable<Patch["endpoints"]>): Promise<void> {
  await updateEndpoints(deps, changes);
  await deps.providers.reload();
}

export async function listModels(deps: SettingsDeps, userId: string): Promise<ModelList> {
  const own = await readOwnPrices(deps);
  const items = await deps.providers.models();
  return {
    items: items.map((item) => ({ ...item, price: ownPrice(own, item.id) ?? item.price })),
    nextCursor: null,
    defaultModel: await chooseModel(deps, userId, undefined).catch(() => deps.providers.defaultModel()),
  };
}
