import { expect, test } from "vitest";
import { fileIdIn, findFileReferences, namesFile, putInPlaces } from "./file-references";

const id = "0193e5d0-7b1a-7c3e-9f00-0123456789ab";
const other = "0193e5d0-7b1a-7c3e-9f00-0123456789ac";
const ref = `attachment:${id}`;

test("only a text that is exactly a reference is one", () => {
  expect(fileIdIn(ref)).toBe(id);
  expect(fileIdIn(ref.replace("e5d0", "E5D0"))).toBe(id);
  for (const text of [
    ` ${ref}`,
    `${ref}\n`,
    `see ${ref}`,
    "attachment:",
    "attachment:invoice",
    `attachment: ${id}`,
    `Attachments:${id}`,
    `attachment:${id}0`,
  ])
    expect(fileIdIn(text), text).toBeUndefined();
});

test("a reference is found at any depth, and its place says how the tool takes it", () => {
  const schema = {
    $defs: { image: { type: "string", contentEncoding: "base64" } },
    properties: {
      image: { $ref: "#/$defs/image" },
      pages: { type: "array", items: { properties: { "a/b": { type: "string", format: "uri" } } } },
      pair: { prefixItems: [{ type: "string" }, { type: "string", format: "data-uri" }] },
      maybe: { anyOf: [{ type: "null" }, { type: "string", format: "base64" }] },
      path: { type: "string" },
    },
    additionalProperties: { type: "string", format: "uri-reference" },
  };
  const args = {
    ...{ image: ref, pages: [{}, { "a/b": ref }], pair: [ref, `attachment:${other}`] },
    ...{ maybe: ref, path: ref, more: ref, n: 1, no: null, text: `not ${ref}` },
  };
  expect(namesFile(args)).toBe(true);
  expect(findFileReferences(args, schema)).toEqual([
    { id, at: "/image", form: "base64" },
    { id, at: "/pages/1/a~1b", form: "data_uri" },
    { id, at: "/pair/0", form: "path" },
    { id: other, at: "/pair/1", form: "data_uri" },
    { id, at: "/maybe", form: "base64" },
    { id, at: "/path", form: "path" },
    { id, at: "/more", form: "data_uri" },
  ]);
  const texts = new Map([
    ["/image", "AAAA"],
    ["/pages/1/a~1b", "data:,"],
  ]);
  const filled = putInPlaces(args, texts);
  expect(filled).toEqual({ ...args, image: "AAAA", pages: [{}, { "a/b": "data:," }] });
  expect(args.image).toBe(ref);
});

test("a schema that refers to itself, or is none, ends in a path", () => {
  const endless = { $ref: "#", anyOf: [{ $ref: "#/anyOf/0" }], properties: { a: { $ref: "#" } } };
  for (const schema of [endless, true, null, "x", { properties: { a: { $ref: "https://else.example/x" } } }])
    expect(findFileReferences({ a: { a: ref } }, schema)).toEqual([{ id, at: "/a/a", form: "path" }]);
});

test("a hundred references are enough to be refused", () => {
  const args = { all: Array.from({ length: 20_000 }, () => ref) };
  expect(findFileReferences(args, { $ref: "#" })).toHaveLength(100);
});

test("many texts deep below cost no more than there are of them", () => {
  let value: unknown = [...Array.from({ length: 50_000 }, () => "text"), ref];
  for (let level = 0; level < 2_000; level++) value = [value];
  const at = `/a${"/0".repeat(2_000)}/50000`;
  const started = performance.now();
  expect(findFileReferences({ a: value })).toEqual([{ id, at, form: "path" }]);
  let filled: unknown = putInPlaces({ a: value }, new Map([[at, "AAAA"]])).a;
  for (let level = 0; level < 2_000; level++) filled = (filled as unknown[])[0];
  expect((filled as unknown[]).slice(-2)).toEqual(["text", "AAAA"]);
  expect(performance.now() - started).toBeLessThan(1_000);
});

test("a schema with any number of alternatives is looked through as far as one may be", () => {
  const anyOf = Array.from({ length: 300_000 }, () => ({ type: "string" }));
  expect(findFileReferences({ a: ref }, { properties: { a: { anyOf } } })).toEqual([
    { id, at: "/a", form: "path" },
  ]);
});

test("arguments without a reference are not looked at any closer", () => {
  expect(namesFile({ a: ["x", { b: `x ${ref}` }], __proto__: null })).toBe(false);
  expect(findFileReferences({ a: "x" })).toEqual([]);
});
