import { expect, test } from "vitest";
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
