import type { ModelTraits } from "@/lib/protocol/settings";

/** The numbers of a model as people write them; an empty one is what the provider or the table of known models says. */
export type ModelDraft = Record<ModelNumber, string>;
export type ModelNumber = (typeof modelNumbers)[number]["name"];

export const modelNumbers = [
  { name: "contextWindow", min: 1_000, max: 100_000_000, whole: true },
  { name: "maxOutputTokens", min: 1, max: 10_000_000, whole: true },
  { name: "temperature", min: 0, max: 2, whole: false },
] as const;

export const toDraft = (traits: ModelTraits): ModelDraft =>
  Object.fromEntries(modelNumbers.map(({ name }) => [name, String(traits[name] ?? "")])) as ModelDraft;

/** The numbers that are meant, null where there is none, or the first field that cannot be read. */
export function fromDraft(
  draft: ModelDraft,
): { numbers: Record<ModelNumber, number | null> } | { wrong: ModelNumber } {
  const numbers: Partial<Record<ModelNumber, number | null>> = {};
  for (const { name, min, max, whole } of modelNumbers) {
    const text = draft[name].trim().replaceAll(",", "");
    const value = Number(text);
    const fits = value >= min && value <= max && (!whole || Number.isInteger(value));
    if (text !== "" && !fits) return { wrong: name };
    numbers[name] = text === "" ? null : value;
  }
  return { numbers: numbers as Record<ModelNumber, number | null> };
}
