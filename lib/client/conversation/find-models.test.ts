import { expect, test } from "vitest";
import type { ModelItem } from "@/lib/protocol/settings";
import { findModels, groupModels } from "./find-models";

const model = (provider: string, name: string, endpoint?: string): ModelItem => ({
  ...{ id: `${provider}/${name}`, provider, name, reachable: true },
  capabilities: { tools: true, images: false, reasoning: false },
  ...{ contextWindow: null, price: null, efforts: null },
  ...(endpoint && { endpoint }),
});
const models = [
  model("google", "gemini-3-pro"),
  model("acme", "org/Big-70B", "Acme ゲートウェイ"),
  model("acme", "small", "Acme ゲートウェイ"),
  model("lab", "small", "Lab"),
];
const ids = (query: string, max = 10) =>
  findModels(models, query, max).groups.flatMap(({ items }) => items.map(({ id }) => id));

test("models stand under the names of their endpoints, in the order of the list", () => {
  expect(groupModels(models).map(({ label, items }) => [label, items.length])).toEqual([
    ["google", 1],
    ["Acme ゲートウェイ", 2],
    ["Lab", 1],
  ]);
});

test.each([
  ["", ["google/gemini-3-pro", "acme/org/Big-70B", "acme/small", "lab/small"]],
  ["SMALL", ["acme/small", "lab/small"]],
  ["small lab", ["lab/small"]],
  ["70b acme", ["acme/org/Big-70B"]],
  ["ｇｅｍｉｎｉ", ["google/gemini-3-pro"]],
  ["ゲートウェイ", ["acme/org/Big-70B", "acme/small"]],
  ["nothing", []],
])("%j finds every word in the model's or the endpoint's name", (query, found) => {
  expect(ids(query)).toEqual(found);
});

test("no more than are asked for are handed out, however many there are", () => {
  const many = Array.from({ length: 10_000 }, (_, at) => model(`e-${at % 20}`, `m-${at}`));
  const { groups, more } = findModels(many, "m-", 60);
  expect(groups.flatMap(({ items }) => items)).toHaveLength(60);
  expect(more).toBe(9_940);
});
