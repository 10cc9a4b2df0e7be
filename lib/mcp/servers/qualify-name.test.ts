import fc from "fast-check";
import { expect, test } from "vitest";
import { qualifyName } from "./qualify-name";

test("plain names stay as they are", () => {
  expect(qualifyName("files", "read_file")).toBe("files__read_file");
  expect(qualifyName("a", "b__c")).toBe("a__b__c");
});

test("what would not tell server and tool apart gets a hash of both", () => {
  expect(qualifyName("a__b", "c")).toMatch(/^a__b__c_[0-9a-f]{12}$/);
  expect(qualifyName("a_", "b")).toMatch(/^a___b_[0-9a-f]{12}$/);
  expect(qualifyName("7zip", "x")).toMatch(/^_7zip__x_[0-9a-f]{12}$/);
  expect(qualifyName("a", "x".repeat(200))).toHaveLength(64);
  const forged = qualifyName("a!", "x").replace(/^a___/, "");
  expect(qualifyName("a", `_${forged}`)).not.toBe(qualifyName("a!", "x"));
});

test("no tool of a server passes for one of ours", () => {
  expect(qualifyName("meguri", "read_project_file")).toMatch(/^meguri__read_project_file_[0-9a-f]{12}$/);
  expect(qualifyName("meguri_", "x")).toMatch(/_[0-9a-f]{12}$/);
  expect(qualifyName("meguri-2", "x")).toBe("meguri-2__x");
});

test("two tools never share a name, and every model takes it", () => {
  const word = fc.oneof(
    fc.stringMatching(/^[a-c_!]{1,6}$/),
    fc.string({ minLength: 1, maxLength: 80, unit: "grapheme" }),
  );
  const pair = fc.tuple(word, word);
  fc.assert(
    fc.property(pair, pair, (one, other) => {
      const name = qualifyName(...one);
      expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      if (JSON.stringify(one) !== JSON.stringify(other)) expect(qualifyName(...other)).not.toBe(name);
    }),
    { numRuns: 2_000 },
  );
});
