import { expect, test } from "vitest";
import type { RunLimits } from "@/lib/protocol/run-limits";
import { fromDraft, toDraft } from "./limits-draft";

test("limits go there and back in the units that people write", () => {
  const limits: RunLimits = {
    maxIterations: 20,
    timeoutMs: 300_000,
    firstTokenMs: 30_000,
    toolExecution: "sequential",
    budget: { tokens: 50_000, cost: 0.25, timeMs: 600_000 },
  };
  const draft = toDraft(limits);
  expect(draft).toMatchObject({ minutes: "5", first: "30", between: "", cost: "0.25", budgetMinutes: "10" });
  expect(fromDraft(draft)).toEqual({ limits });
  expect(fromDraft(toDraft({}))).toEqual({ limits: {} });
});

test("a field that cannot be read is named", () => {
  const draft = toDraft({});
  expect(fromDraft({ ...draft, tokens: "50,000" })).toEqual({ limits: { budget: { tokens: 50_000 } } });
  for (const [name, text] of [
    ["iterations", "101"],
    ["tokens", "-5"],
    ["cost", "0"],
    ["minutes", "two"],
    ["toolCalls", "1.5"],
  ] as const)
    expect(fromDraft({ ...draft, [name]: text })).toEqual({ wrong: name });
});
