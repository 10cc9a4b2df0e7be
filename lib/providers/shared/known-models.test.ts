import { expect, test } from "vitest";
import { efforts } from "@/lib/protocol/effort";
import { fits, knownByName, knownModels, knownModelsDate, knownPrice, seesImages } from "./known-models";
import { knownPriceAt, modelItem } from "./model-source";

test.each([
  ["gpt-5-mini", 400_000],
  ["gpt-5.4-2026-03-05", 1_050_000],
  ["openai/gpt-5.4", 1_050_000],
  ["anthropic/claude-sonnet-4.5", 200_000],
  ["claude-sonnet-4-6", 1_000_000],
  ["google/gemini-2.5-pro:free", 1_048_576],
  ["gpt-5.9-next", 400_000],
  ["qwen3:8b", undefined],
])("%s reads %s tokens, whoever serves it", (name, window) => {
  expect(knownByName(name).window).toBe(window);
});

test("a price is the provider's own: a gateway asks what it likes, and a new model is not guessed", () => {
  expect(knownPrice("openai/gpt-5.4-2026-03-05")).toEqual({ input: 2.5, cachedInput: 0.25, output: 15 });
  expect(knownPrice("router/openai/gpt-5.4")).toBeUndefined();
  expect(knownPrice("openai/gpt-5.9-next")).toBeUndefined();
  expect(knownPrice("openai/gpt-5.4-pro")).toBeUndefined();
  expect(knownPrice("ollama/qwen3:8b")).toEqual({ input: 0, cachedInput: 0, output: 0 });
});

test("no row is hidden by one above it, and each says what it is about", () => {
  for (const [at, { id }] of knownModels.entries()) {
    const above = knownModels.slice(0, at).find((row) => fits(row.id, id.replace(/\*$/, "-x")));
    expect(above, `${id} is hidden by ${above?.id}`).toBeUndefined();
  }
  expect(Date.parse(knownModelsDate)).not.toBeNaN();
});

test("efforts stand in the order of the least first", () => {
  for (const { id, efforts: known = [] } of knownModels)
    expect(
      efforts.filter((each) => known.includes(each)),
      id,
    ).toEqual(known);
});

test("a price holds at the provider's own address alone", () => {
  expect(knownPriceAt({ pricesOf: "openai" }, "gpt-5-mini")).toEqual({
    ...{ input: 0.25, cachedInput: 0.025, output: 2 },
  });
  expect(knownPriceAt({}, "gpt-5-mini")).toBeUndefined();
});

test("what a list tells of a model counts more than its name", () => {
  expect(modelItem("openai", "gpt-5-mini")).toMatchObject({
    contextWindow: 400_000,
    price: null,
    efforts: ["minimal", "low", "medium", "high"],
    capabilities: { reasoning: true, images: true },
  });
  const told = { contextWindow: 8_000, price: { input: 1, output: 2 }, efforts: [] };
  expect(modelItem("openai", "gpt-5-mini", told)).toMatchObject({
    ...told,
    capabilities: { reasoning: false },
  });
  expect(modelItem("lab", "own-model")).toMatchObject({ contextWindow: null, price: null, efforts: null });
  expect(seesImages("o3-mini")).toBe(false);
});
