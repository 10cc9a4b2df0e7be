import { expect, test } from "vitest";
import { toGeminiSchema, toOpenAiSchema } from "./tool-schema";

test("Gemini gets only keywords that it knows, with the meaning kept where it can be", () => {
  expect(
    toGeminiSchema({
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      properties: {
        n: { type: "integer", exclusiveMinimum: 0, maximum: 9, multipleOf: 3, default: 1 },
        x: { type: "number", exclusiveMaximum: 1 },
        kind: { const: "note" },
        when: { type: "string", format: "date-time" },
        site: { type: "string", format: "uri", pattern: "^https", minLength: 1 },
        tags: { type: "array", items: { type: "string", enum: ["a", "b"] }, uniqueItems: true },
        either: { oneOf: [{ type: "string" }, { type: "null" }] },
        nullable: { type: ["string", "null"], description: "Maybe." },
        map: { type: "object", additionalProperties: { type: "number", exclusiveMinimum: 1 } },
        // A property may be called like a keyword.
        pattern: { type: "string" },
      },
      required: ["n"],
      additionalProperties: false,
    }),
  ).toEqual({
    type: "object",
    properties: {
      n: { type: "integer", minimum: 1, maximum: 9 },
      x: { type: "number", maximum: 1 },
      kind: { enum: ["note"] },
      when: { type: "string", format: "date-time" },
      site: { type: "string" },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
      either: { oneOf: [{ type: "string" }, { type: "null" }] },
      nullable: { type: ["string", "null"], description: "Maybe." },
      map: { type: "object", additionalProperties: { type: "number", minimum: 1 } },
      pattern: { type: "string" },
    },
    required: ["n"],
    additionalProperties: false,
  });
});

test("references and what is composed stay meaningful for Gemini", () => {
  expect(
    toGeminiSchema({
      allOf: [
        { properties: { a: { type: "string" } }, required: ["a"] },
        { properties: { b: { $ref: "#/definitions/node" } }, required: ["b"] },
      ],
      required: ["c"],
      properties: { c: true },
      definitions: { node: { type: "object", properties: { next: { $ref: "#/definitions/node" } } } },
    }),
  ).toEqual({
    type: "object",
    properties: { a: { type: "string" }, b: { $ref: "#/$defs/node" }, c: {} },
    required: ["a", "b", "c"],
    $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
  });
});

test("a tool without arguments has an object as schema on both wires", () => {
  expect(toGeminiSchema({})).toEqual({ type: "object", properties: {} });
  expect(toOpenAiSchema({ $schema: "x" })).toEqual({ type: "object", properties: {} });
});

test("OpenAI-compatible servers get the schema as it is, without patterns that llama.cpp refuses", () => {
  const schema = {
    type: "object",
    properties: {
      code: { type: "string", pattern: "^[A-Z]+$" },
      word: { type: "string", pattern: "[a-z]" },
      pattern: { type: "string", minLength: 2 },
    },
  };
  expect(toOpenAiSchema(schema)).toEqual({
    type: "object",
    properties: {
      code: { type: "string", pattern: "^[A-Z]+$" },
      word: { type: "string" },
      pattern: { type: "string", minLength: 2 },
    },
  });
});

test("a schema that nests without end is cut off", () => {
  const schema: Record<string, unknown> = { type: "object" };
  schema.properties = { self: schema };
  expect(JSON.stringify(toGeminiSchema(schema)).length).toBeLessThan(10_000);
  expect(JSON.stringify(toOpenAiSchema(schema)).length).toBeLessThan(10_000);
});
