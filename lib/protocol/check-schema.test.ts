import { expect, test } from "vitest";
import { findSchemaProblem } from "./check-schema";

test("a schema that can be used has no problem", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: ["string", "null"] },
      tags: { type: "array", items: { $ref: "#/$defs/tag" } },
      size: { anyOf: [{ type: "integer" }, { enum: ["small", "large"] }] },
    },
    required: ["name"],
    additionalProperties: false,
    $defs: { tag: { type: "string", minLength: 1 } },
  };
  expect(findSchemaProblem(schema)).toBeUndefined();
});

test.each([
  ["a list", [], /^it is no JSON Schema/],
  ["a type that is none", { type: "text" }, /^\/type: "text" is no type/],
  [
    "a type deep inside",
    { properties: { a: { items: { type: "int" } } } },
    /^\/properties\/a\/items\/type: "int"/,
  ],
  ["properties in a list", { properties: ["a"] }, /^\/properties must be an object/],
  ["required as a word", { required: "a" }, /^\/required must be a list/],
  ["an empty choice", { anyOf: [] }, /^\/anyOf must be a list/],
  [
    "a reference to elsewhere",
    { $ref: "https://example.com/x" },
    /^\/\$ref must point into the schema itself/,
  ],
  ["a value in the place of a schema", { items: 3 }, /^\/items is no JSON Schema/],
])("%s is named with its path", (_, schema, problem) => {
  expect(findSchemaProblem(schema)).toMatch(problem);
});

test("one that is nested without end is refused", () => {
  let schema: Record<string, unknown> = { type: "string" };
  for (let depth = 0; depth < 60; depth++) schema = { type: "array", items: schema };
  expect(findSchemaProblem(schema)).toMatch(/nested deeper than 50/);
});
