import { expect, test } from "vitest";
import { efforts } from "@/lib/protocol/effort";
import { listedModel, readListed } from "./listed-model";

const read = (model: object) => readListed(listedModel.parse({ id: "x", ...model }));

test("an entry of OpenRouter tells of window, price, efforts, tools and images", () => {
  const told = read({
    context_length: 262_144,
    pricing: { prompt: "0.0000004", completion: "0.0000016", input_cache_read: "0.0000001", image: "0" },
    supported_parameters: ["tools", "reasoning", "temperature"],
    architecture: { input_modalities: ["text", "image"] },
  });
  expect(told).toEqual({
    contextWindow: 262_144,
    price: { input: 0.4, cachedInput: 0.1, output: 1.6 },
    tools: true,
    reasoning: true,
    efforts: [...efforts],
    images: true,
  });
});

test("a model without reasoning takes no effort, and what is free costs nothing", () => {
  const told = read({ pricing: { prompt: "0", completion: "0" }, supported_parameters: ["temperature"] });
  expect(told).toMatchObject({ price: { input: 0, output: 0 }, tools: false, efforts: [] });
});

test.each([
  ["vLLM", { max_model_len: 32_768 }, 32_768],
  ["llama.cpp", { meta: { n_ctx_train: 8_192 } }, 8_192],
  ["OpenAI, which tells nothing", {}, null],
])("the window of %s", (_server, model, contextWindow) => {
  expect(read(model)).toEqual({ contextWindow });
});

test("what has another form counts as not told, and the model stays in the list", () => {
  const odd = {
    max_model_len: "many",
    context_length: -1,
    meta: 7,
    pricing: { prompt: "-1", completion: "-1" },
    supported_parameters: "all",
    architecture: "transformer",
  };
  expect(read(odd)).toEqual({ contextWindow: null });
});
