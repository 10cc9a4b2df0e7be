import type { z } from "zod";
import type { ModelList, SettingsItem } from "@/lib/protocol/http";
import { chooseModel } from "./choose-model";
import type { Deps } from "./deps";
import type { SettingsPatch } from "./schemas";
import { readRules } from "./tool-rules";

export async function readSettings(deps: Deps, userId: string): Promise<SettingsItem> {
  return {
    rules: await readRules(deps, userId),
    defaultModel: (await deps.store.settings.get<string>(userId, "defaultModel")) ?? null,
    toolApproval: deps.env.TOOL_APPROVAL,
  };
}

export async function patchSettings(
  deps: Deps,
  userId: string,
  { rules, defaultModel }: z.output<typeof SettingsPatch>,
): Promise<SettingsItem> {
  if (defaultModel) await chooseModel(deps, userId, defaultModel);
  if (rules) await deps.runs.inTurn(`rules:${userId}`, () => deps.store.settings.set(userId, "rules", rules));
  if (defaultModel !== undefined) await deps.store.settings.set(userId, "defaultModel", defaultModel);
  return readSettings(deps, userId);
}

export async function listModels(deps: Deps, userId: string): Promise<ModelList> {
  return {
    items: await deps.providers.models(),
    nextCursor: null,
    defaultModel: await chooseModel(deps, userId, undefined).catch(() => deps.providers.defaultModel()),
  };
}
