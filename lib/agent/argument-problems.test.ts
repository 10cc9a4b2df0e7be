import { describe, expect, test } from "vitest";
import { findArgumentProblems } from "./argument-problems";

/** Far more than it takes, and far less than the years that such a check would. */
const boundMs = 5_000;

function timed(schema: Record<string, unknown>, args: Record<string, unknown>): string[] {
  const start = performance.now();
  const problems = findArgumentProblems(schema, args);
  expect(performance.now() - start).toBeLessThan(boundMs);
  return problems;
}

test("a regular expression of a server does not run on our side", () => {
  const text = { type: "string", pattern: "^(a+)+$" };
  const args = { text: `${"a".repeat(40)}!` };
  expect(timed({ properties: { text } }, args)).toEqual([]);
  expect(timed({ patternProperties: { "^(t+)+$": {} } }, { [`${"t".repeat(40)}!`]: 1 })).toEqual([]);
  expect(timed({ properties: { text } }, { text: 1 })).toEqual([
    '/text: Instance type "number" is invalid. Expected "string".',
  ]);
});

test("references that double at each step are given up, and the server decides", () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, step) => {
      const next = { $ref: `#/$defs/s${step + 1}` };
      return [`s${step}`, { allOf: [next, next] }];
    }),
  );
  expect(timed({ $defs: { ...$defs, s40: {} }, $ref: "#/$defs/s0", required: ["a"] }, {})).toEqual([]);
});

test("large arguments are not compared with each other, nor with a large schema", () => {
  const numbers = Array.from({ length: 30_000 }, (_, index) => index);
  expect(timed({ properties: { numbers: { uniqueItems: true } } }, { numbers })).toEqual([]);
  expect(
    timed({ properties: { numbers: { items: { enum: numbers.slice(0, 15_000) } } } }, { numbers }),
  ).toEqual([]);
});

describe("a reference to a file", () => {
  const reference = "attachment:0193e5d0-7b1a-7c3e-9f00-0123456789ab";
  const text = { type: "string", maxLength: 5 };
  const schema = {
    properties: {
      image: { type: "string", contentEncoding: "base64", format: "uri", pattern: "^A+$", minLength: 100 },
      short: text,
      either: { anyOf: [text, { type: "number" }] },
      kind: { enum: ["a", "b"] },
      list: { type: "array", items: { $ref: "#/$defs/short" }, maxItems: 2 },
    },
    $defs: { short: text },
    required: ["image"],
  };

  test("stands in the place of a text of any length and form", () => {
    const args = { image: reference, short: reference, either: reference, list: [reference, "abc"] };
    expect(findArgumentProblems(schema, args)).toEqual([]);
  });

  test("leaves everything else as it is checked without one", () => {
    const wrong = {
      kind: reference,
      short: "too long",
      either: "too long",
      list: ["too long", reference, "x"],
    };
    expect(findArgumentProblems(schema, wrong).map((line) => line.split(":")[0])).toEqual([
      "arguments",
      "/short",
      "/either",
      "/either",
      "/kind",
      "/list",
      "/list/0",
    ]);
    expect(findArgumentProblems(schema, { image: reference, short: "too long" })).toEqual(
      findArgumentProblems({ properties: { short: text } }, { short: "too long" }),
    );
    expect(findArgumentProblems({ properties: { n: { type: "number" } } }, { n: reference })).toHaveLength(1);
  });
});
