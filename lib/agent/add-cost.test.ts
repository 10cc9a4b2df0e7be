import { expect, test } from "vitest";
import { addCost } from "./add-cost";
import { mapTurn } from "./map-turn";
import { run, scriptedProvider, stop, text } from "./testing/scripted";

const usage = {
  type: "usage",
  stopReason: "end_turn",
  inputTokens: 1_000_000,
  outputTokens: 100_000,
} as const;

test("tokens cost what the table says, cached ones their own price", () => {
  const price = { input: 2, cachedInput: 0.5, output: 10 };
  expect(addCost(price)(usage)).toEqual({ ...usage, cost: 3 });
  const cached = { ...usage, cachedInputTokens: 400_000 };
  expect(addCost(price)(cached)).toEqual({ ...cached, cost: 2.4 });
});

test("without a price of their own cached tokens cost as others, and what has a cost keeps it", () => {
  const price = { input: 2, output: 10 };
  expect(addCost(price)({ ...usage, cachedInputTokens: 400_000 })).toMatchObject({ cost: 3 });
  expect(addCost(price)({ ...usage, cost: 7 })).toMatchObject({ cost: 7 });
});

test("the result of a run adds up what its turns cost", async () => {
  const provider = scriptedProvider([text("4"), stop("end_turn")]);
  const { result } = await run({ provider: mapTurn(provider, addCost({ input: 1, output: 3 })) });
  expect(result.usage).toEqual({ inputTokens: 1, outputTokens: 1, cost: 0.000004 });
});
