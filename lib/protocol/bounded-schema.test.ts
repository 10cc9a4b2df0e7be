import { expect, test } from "vitest";
import { boundSchema, limitReads, referenceLimit } from "./bounded-schema";

const bounded = (schema: Record<string, unknown>) => boundSchema(schema)?.schema;

test("a schema with nothing dangerous in it is copied as it is", () => {
  const schema = {
    type: "object",
    properties: { pattern: { type: "string" }, format: { enum: ["a"] }, not: { const: { pattern: "x" } } },
    required: ["pattern"],
    oneOf: [{ required: ["format"] }, { not: { required: ["not"] } }],
    additionalProperties: false,
  };
  const copy = bounded(schema);
  expect(copy).toEqual(schema);
  expect(copy?.properties).not.toBe(schema.properties);
});

test("what can run for ever is left out wherever a schema can stand, names of properties are not", () => {
  expect(
    bounded({
      properties: { format: { type: "string", pattern: "(a+)+$", format: "email" } },
      items: [{ uniqueItems: true }],
      $defs: { pattern: { pattern: "x" } },
      anyOf: [{ $recursiveRef: "#" }],
      const: { pattern: "x" },
    }),
  ).toEqual({
    properties: { format: { type: "string" } },
    items: [{}],
    $defs: { pattern: {} },
    anyOf: [{}],
    const: { pattern: "x" },
  });
});

test("what would refuse wrongly without it is left out as well", () => {
  const pattern = { pattern: "x" };
  expect(bounded({ not: pattern })).toEqual({});
  expect(bounded({ if: pattern, else: false, type: "string" })).toEqual({
    type: "string",
  });
  expect(bounded({ oneOf: [pattern, { format: "uri" }] })).toEqual({ anyOf: [{}, {}] });
  expect(bounded({ oneOf: [pattern], anyOf: [true] })).toEqual({ anyOf: [true] });
  expect(bounded({ contains: pattern, maxContains: 1 })).toEqual({ contains: {} });
  expect(bounded({ patternProperties: { x: {} }, additionalProperties: false })).toEqual({});
  expect(bounded({ allOf: [{ patternProperties: { x: {} } }], unevaluatedProperties: false })).toEqual({
    allOf: [{}],
  });
});

test("a schema that is too deep or too large is no schema", () => {
  const deep = (levels: number): Record<string, unknown> => (levels === 0 ? {} : { not: deep(levels - 1) });
  expect(bounded(deep(50))).toEqual(deep(50));
  expect(bounded(deep(51))).toBeUndefined();
  expect(bounded(deep(5_000))).toBeUndefined();
  expect(bounded({ enum: Array.from({ length: 20_000 }, (_, index) => index) })).toBeUndefined();
});

test("the larger schema and value, the fewer references; too large a value is not checked", () => {
  const small = { schema: {}, parts: 10 };
  expect(referenceLimit(small, {})).toBe(Math.floor(20_000_000 / 12));
  expect(referenceLimit(small, "x".repeat(200_000))).toBeUndefined();
  expect(referenceLimit({ schema: {}, parts: 20_000 }, "x".repeat(1_000))).toBeUndefined();
});

test("so many reads, and no more", () => {
  const lookup = limitReads({ a: 1 }, 2);
  expect([lookup.a, lookup.a]).toEqual([1, 1]);
  expect(() => lookup.a).toThrow("too often");
});
