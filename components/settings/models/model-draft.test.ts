import { expect, test } from "vitest";
import { fromDraft, toDraft } from "./model-draft";

const empty = { contextWindow: "", maxOutputTokens: "", temperature: "" };

test("numbers come back as they were written, and an empty field takes one back", () => {
  const traits = { contextWindow: 32_000, temperature: 0, effort: "low" as const };
  expect(toDraft(traits)).toEqual({ contextWindow: "32000", maxOutputTokens: "", temperature: "0" });
  expect(fromDraft(toDraft(traits))).toEqual({
    numbers: { contextWindow: 32_000, maxOutputTokens: null, temperature: 0 },
  });
  expect(fromDraft({ ...empty, contextWindow: " 1,048,576 " })).toMatchObject({
    numbers: { contextWindow: 1_048_576 },
  });
});

test.each([
  ["contextWindow", "many"],
  ["contextWindow", "999"],
  ["maxOutputTokens", "1.5"],
  ["maxOutputTokens", "0"],
  ["temperature", "2.1"],
  ["temperature", "-1"],
] as const)("%s cannot be %s", (name, text) => {
  expect(fromDraft({ ...empty, [name]: text })).toEqual({ wrong: name });
});
