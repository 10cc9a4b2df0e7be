import { describe, expect, it } from "vitest";
import {
  emptyOf,
  fieldsOf,
  isElsewhere,
  kindOf,
  ownMember,
  readText,
  resolveSchema,
  setAt,
} from "./schema-draft";

describe("the kind of a field", () => {
  it.each([
    [{ type: "string" }, "a", "text"],
    [{ type: ["integer", "null"] }, 3, "number"],
    [{ enum: ["a", "b"] }, "a", "choice"],
    [{ type: "array" }, [], "list"],
    [{ type: "object" }, {}, "object"],
    [{ type: "object" }, "no object", "json"],
    [{}, true, "boolean"],
    [{}, null, "json"],
    [{ type: "number" }, undefined, "number"],
  ])("%j with %j is %s", (schema, value, kind) => {
    expect(kindOf(schema, value)).toBe(kind);
  });
});

it("follows references within the schema, and takes the only choice besides null", () => {
  const root = { $defs: { tag: { type: "string", title: "Tag" }, loop: { $ref: "#/$defs/loop" } } };
  expect(resolveSchema({ $ref: "#/$defs/tag" }, root)).toMatchObject({ type: "string", title: "Tag" });
  expect(resolveSchema({ anyOf: [{ type: "null" }, { $ref: "#/$defs/tag" }] }, root)).toMatchObject({
    type: "string",
  });
  expect(resolveSchema({ $ref: "#/$defs/loop" }, root)).toEqual({});
  expect(resolveSchema({ $ref: "https://example.com" }, root)).toEqual({ $ref: "https://example.com" });
});

it("begins with the default, or with what must be there", () => {
  const schema = {
    type: "object",
    properties: {
      name: { type: "string" },
      size: { type: "integer", minimum: 1 },
      mode: { enum: ["fast", "slow"] },
      tags: { type: "array" },
      note: { type: "string" },
      deep: { type: "object", properties: { on: { type: "boolean", default: true } }, required: ["on"] },
    },
    required: ["name", "size", "mode", "tags", "deep", "elsewhere"],
  };
  expect(emptyOf(schema, schema)).toEqual({ name: "", size: 1, mode: "fast", tags: [], deep: { on: true } });
  expect(fieldsOf(schema).required).not.toContain("elsewhere");
});

it("changes one place and nothing else", () => {
  const value = { a: [{ b: 1 }, { b: 2 }], c: "x" };
  const next = setAt(value, ["a", 1, "b"], 3) as typeof value;
  expect(next).toEqual({ a: [{ b: 1 }, { b: 3 }], c: "x" });
  expect(next.a[0]).toBe(value.a[0]);
  expect(Object.keys(setAt(value, ["a"], 1) as object)).toEqual(["a", "c"]);
  expect(setAt(value, ["a", 0], undefined)).toEqual({ a: [{ b: 2 }], c: "x" });
  expect(setAt(value, ["c"], undefined)).toEqual({ a: value.a });
});

it("reads numbers within their limits, and JSON", () => {
  const schema = { type: "integer", minimum: 1, maximum: 5 };
  expect([" 3", "", "2.5", "0", "9", "x"].map((text) => readText(schema, "number", text))).toEqual([
    3,
    ...Array(5).fill(undefined),
  ]);
  expect(readText({}, "json", '{"a":1}')).toEqual({ a: 1 });
  expect(readText({}, "json", "{")).toBeUndefined();
});

it("a schema that asks for itself begins with what it asks for once, however it branches", () => {
  const node = (...names: string[]) => ({
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    required: names,
  });
  const root = { ...node("a"), $defs: { a: node("b"), b: node("a") } };
  expect(emptyOf(root, root)).toEqual({ a: { b: { a: {} } } });
  const self = { type: "object", properties: { self: { $ref: "#" } }, required: ["self"] };
  expect(emptyOf(self, self)).toEqual({ self: {} });
  const names = Array.from({ length: 12 }, (_, at) => `n${at}`);
  const web = { ...node(...names), $defs: Object.fromEntries(names.map((name) => [name, node(...names)])) };
  expect(JSON.stringify(emptyOf(web, web)).length).toBeLessThan(10_000);
});

it("what is described elsewhere begins as JSON, and a reference that cannot be read is none", () => {
  const schema = { $ref: "https://example.com/place.json" };
  expect([emptyOf(schema, {}), isElsewhere(schema), kindOf(schema, null)]).toEqual([null, true, "json"]);
  expect(resolveSchema({ $ref: "#/$defs/100%" }, { $defs: { "100%": { type: "string" } } })).toEqual({
    type: "string",
  });
});

it("names that every object has are names like others", () => {
  const schema = JSON.parse('{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}}}');
  const asked = { type: "object", ...schema, required: ["__proto__", "toString"] };
  expect(JSON.stringify(emptyOf(asked, asked))).toBe('{"__proto__":""}');
  expect(JSON.stringify(setAt({}, ["__proto__", "inner"], 1))).toBe('{"__proto__":{"inner":1}}');
  expect(setAt({ a: 1 }, ["constructor"], undefined)).toEqual({ a: 1 });
  expect(ownMember({}, "constructor")).toBeUndefined();
});
