import { expect, test } from "vitest";
import { openProviders } from "./providers";

const endpoint = (id: string, baseURL: string) => ({
  ...{ id, baseURL, name: id, api: "auto" as const, source: "settings" as const },
});

/** All that an OpenAI-compatible server lists, wherever it is asked. */
const fetch: typeof globalThis.fetch = async () =>
  Response.json({
    data: [
      { id: "gpt-5.4-2026-03-05" },
      { id: "own", pricing: { prompt: "0.000001", completion: "0.000002" } },
    ],
  });

const ofOpenAi = { input: 2.5, cachedInput: 0.25, output: 15 };

test("OpenAI's prices hold at OpenAI's own address, under whatever id it was entered", async () => {
  const { models, price } = openProviders(
    {
      access: { openai: { apiKey: "k" } },
      endpoints: [
        endpoint("work", "https://eu.api.openai.com/v1"),
        endpoint("gateway", "https://llm.acme.dev/v1"),
        endpoint("alike", "https://api.openai.com.acme.dev/v1"),
      ],
    },
    { fetch },
  );
  expect(price("work/gpt-5.4")).toEqual(ofOpenAi);
  const known = (await models()).filter(({ id }) => id.endsWith("/gpt-5.4-2026-03-05"));
  expect(known.map(({ provider, price: shown }) => [provider, shown])).toEqual([
    ["openai", ofOpenAi],
    ["work", ofOpenAi],
    ["gateway", null],
    ["alike", null],
  ]);
  for (const { id, price: shown } of known) expect(price(id) ?? null).toEqual(shown);
});

test("the provider openai has OpenAI's prices no longer where it is another server", () => {
  const { price } = openProviders({ access: { openai: { baseURL: "https://llm.acme.dev/v1" } } }, { fetch });
  expect(price("openai/gpt-5.4")).toBeUndefined();
});

test("what a server reports counts wherever it is, and a model of a provider that is gone keeps its price", async () => {
  const { models, price } = openProviders(
    { endpoints: [endpoint("gateway", "https://llm.acme.dev/v1")] },
    { fetch },
  );
  await models();
  expect(price("gateway/own")).toEqual({ input: 1, output: 2 });
  expect(price("openai/gpt-5.4")).toEqual(ofOpenAi);
});
