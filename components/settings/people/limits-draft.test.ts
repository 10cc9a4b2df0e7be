import { expect, test } from "vitest";
import { fromDraft, toDraft } from "./limits-draft";

const begun = toDraft({ runs: 3, bytes: 2 * 1024 * 1024, costPerDay: 4.5 });

test("limits are written as people write them, files in MB", () => {
  expect(begun).toEqual({ runs: "3", tokensPerDay: "", costPerDay: "4.5", bytes: "2", servers: "" });
});

test("what was changed is meant, and nothing else: somebody else may have changed that", () => {
  expect(fromDraft(begun, begun)).toEqual({ limits: {} });
  expect(fromDraft({ ...begun, tokensPerDay: " 1,000 ", runs: "" }, begun)).toEqual({
    limits: { tokensPerDay: 1_000, runs: null },
  });
  expect(fromDraft({ ...begun, bytes: "1.5" }, begun)).toEqual({ limits: { bytes: 1_572_864 } });
});

test.each([
  ["runs", "1.5"],
  ["runs", "2001"],
  ["tokensPerDay", "many"],
  ["costPerDay", "-1"],
  ["bytes", "Infinity"],
  ["servers", "21"],
] as const)("%s of %s is wrong", (key, text) => {
  expect(fromDraft({ ...begun, [key]: text }, begun)).toEqual({ wrong: key });
});
