import { ollama } from "./openai/ollama";
import { openai } from "./openai/openai";
import { anthropic } from "./sdk/anthropic";
import { google } from "./sdk/google";
import type { ProviderDefinition } from "./shared/definition";

/** Every provider that can be configured, in the order of the menu and of the settings. */
export const providerTable: readonly ProviderDefinition[] = [google, openai, anthropic, ollama];

/** One of the table, by the id of a model or by its own. */
export const providerOf = (id: string): ProviderDefinition | undefined =>
  providerTable.find((definition) => definition.id === id.split("/", 1)[0]);
