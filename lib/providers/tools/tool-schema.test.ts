import { expect, test } from "vitest";
import { toAnthropicSchema, toGeminiSchema, toOpenAiSchema } from "./tool-schema";

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
      n: { type: "integer", minimum: 1, maximum: 9, description: "Default: 1." },
      x: { type: "number", maximum: 1 },
      kind: { type: "string", enum: ["note"] },
      when: { type: "string", format: "date-time" },
      site: { type: "string" },
      tags: { type: "array", items: { type: "string", enum: ["a", "b"] } },
      either: { oneOf: [{ type: "string" }, { type: "null" }] },
      nullable: { type: ["string", "null"], description: "Maybe." },
      map: { type: "object", additionalProperties: { type: "number", minimum: 1 } },
      pattern: { type: "string" },
    },
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

const string = { type: "string" };
const number = { type: "number" };
const object = (properties: Record<string, unknown>, more: Record<string, unknown> = {}) => ({
  type: "object",
  properties,
  ...more,
});

/** What common servers declare and some API refuses: as each API gets it. */
const refused: Record<
  string,
  { given: Record<string, unknown>; anthropic?: unknown; openai?: unknown; gemini?: unknown }
> = {
  "an array without items": {
    given: object({ ids: { type: "array" }, rows: { type: ["array", "null"], items: true } }),
    anthropic: object({ ids: { type: "array", items: {} }, rows: { type: ["array", "null"], items: {} } }),
  },
  "a tuple as it was written before 2020": {
    given: object({ pair: { type: "array", items: [string, number], additionalItems: false } }),
    anthropic: object({ pair: { type: "array", prefixItems: [string, number], items: {} } }),
  },
  "a reference to another property": {
    given: object({
      from: object({ text: string, tags: { type: "array", items: string } }),
      to: { $ref: "#/properties/from" },
      tag: { $ref: "#/properties/from/properties/tags/items", description: "One." },
    }),
    anthropic: object({
      from: object({ text: string, tags: { type: "array", items: string } }),
      to: object({ text: string, tags: { type: "array", items: string } }),
      tag: { type: "string", description: "One." },
    }),
  },
  "a property that refers to itself": {
    given: object({ filter: object({ and: { type: "array", items: { $ref: "#/properties/filter" } } }) }),
    anthropic: object({
      filter: object({
        and: { type: "array", items: object({ and: { type: "array", items: {} } }) },
      }),
    }),
  },
  "references to nowhere and to elsewhere": {
    given: object({
      a: { $ref: "#/$defs/none" },
      b: { $ref: "https://example.com/b.json", title: "B" },
      "c/d": string,
      e: { $ref: "#/properties/c~1d" },
      f: { $ref: "#/constructor" },
    }),
    anthropic: object({ a: {}, b: { title: "B" }, "c/d": string, e: string, f: {} }),
  },
  "a root that refers to a definition": {
    given: {
      $ref: "#/definitions/Query",
      definitions: { Query: object({ q: string }, { required: ["q"] }) },
    },
    anthropic: object(
      { q: string },
      { required: ["q"], definitions: { Query: object({ q: string }, { required: ["q"] }) } },
    ),
    gemini: object(
      { q: string },
      { required: ["q"], $defs: { Query: object({ q: string }, { required: ["q"] }) } },
    ),
  },
  "choices that are no texts": {
    given: object({
      size: { type: "integer", enum: [1, 2, 4] },
      dry: { type: "boolean", enum: [true], description: "Dry." },
      mode: { enum: ["a", 1, null] },
      level: { type: ["string", "null"], enum: ["low", null] },
      odd: { type: "string", enum: [1, "x"] },
    }),
    anthropic: object({
      size: { type: "integer", enum: [1, 2, 4] },
      dry: { type: "boolean", enum: [true], description: "Dry." },
      mode: { enum: ["a", 1, null] },
      level: { type: ["string", "null"], enum: ["low", null] },
      odd: { type: "string", enum: ["x"] },
    }),
    gemini: object({
      size: { type: "integer", description: "One of: 1, 2, 4." },
      dry: { type: "boolean", description: "Dry. One of: true." },
      mode: { type: "string", enum: ["a"], description: 'One of: "a", 1, null.' },
      level: { type: ["string", "null"], enum: ["low"] },
      odd: { type: "string", enum: ["x"] },
    }),
  },
  "required names without their property": {
    given: object(
      { a: string, b: object({}, { required: ["x"] }) },
      { required: ["a", "gone", "a"], anyOf: [{ required: ["a"] }] },
    ),
    anthropic: object({ a: string, b: object({}, { required: ["x"] }) }, { required: ["a", "gone"] }),
    openai: object({ a: string, b: object({}) }, { required: ["a"], anyOf: [{}] }),
  },
  "items of what is no array": {
    given: object({ a: { type: "string", items: string }, b: { items: string } }),
    anthropic: object({ a: string, b: { items: string } }),
  },
  "keywords that hold something else": {
    given: object({
      a: { type: "any", description: null, required: true },
      b: { type: "number", minimum: 0, exclusiveMinimum: true, maximum: "9" },
      c: { type: "string", pattern: 7, anyOf: [] },
    }),
    anthropic: object({ a: {}, b: { type: "number", exclusiveMinimum: 0 }, c: string }),
    gemini: object({ a: {}, b: { type: "number", minimum: 0 }, c: string }),
  },
  "a default": {
    given: object({ full: { type: "boolean", default: false }, url: string }, { required: ["full", "url"] }),
    anthropic: object(
      { full: { type: "boolean", default: false }, url: string },
      { required: ["full", "url"] },
    ),
    gemini: object(
      { full: { type: "boolean", description: "Default: false." }, url: string },
      { required: ["url"] },
    ),
  },
};

test.each(Object.entries(refused))("%s is put right for each API", (_what, expected) => {
  const { given, anthropic } = expected;
  const before = structuredClone(given);
  expect(toAnthropicSchema(given)).toEqual(anthropic);
  const { openai = anthropic, gemini = openai } = expected;
  expect(toOpenAiSchema(given)).toEqual(openai);
  expect(toGeminiSchema(given)).toEqual(gemini);
  expect(given).toEqual(before);
});

test("what is required by one part of a whole may be a property of another", () => {
  const schema = { allOf: [{ required: ["a"] }, { properties: { a: string } }], properties: { b: string } };
  expect(toGeminiSchema(schema)).toEqual(object({ a: string, b: string }, { required: ["a"] }));
});

test("references that double at each step are written out up to a bound", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, step) => {
      const next = { $ref: `#/properties/s${step + 1}` };
      return [`s${step}`, object({ a: next, b: next })];
    }),
  );
  for (const write of [toAnthropicSchema, toOpenAiSchema, toGeminiSchema])
    expect(JSON.stringify(write(object(properties))).length).toBeLessThan(1_000_000);
});
