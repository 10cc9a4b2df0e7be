import fc from "fast-check";
import { expect, it } from "vitest";
import { readPartial } from "./partial-json";

it.each([
  ["", {}],
  ["{", {}],
  ['{"pa', {}],
  ['{"path"', {}],
  ['{"path":', {}],
  ['{"path": "a/', { path: "a/" }],
  ['{"path": "a/b"', { path: "a/b" }],
  ['{"path": "a/b", "con', { path: "a/b" }],
  ['{"text": "one\\', { text: "one" }],
  ['{"text": "one\\n', { text: "one\n" }],
  ['{"text": "\\u65e', { text: "" }],
  ['{"text": "\\u65e5', { text: "日" }],
  ['{"text": "a \\"b\\" {[', { text: 'a "b" {[' }],
  ['{"n": 12', {}],
  ['{"n": 12,', { n: 12 }],
  ['{"n": tru', {}],
  ['{"list": ["a", "b', { list: ["a", "b"] }],
  ['{"list": [{"a": 1}, {"b', { list: [{ a: 1 }, {}] }],
  ['{"deep": {"er": "x', { deep: { er: "x" } }],
  ['{"a": "b"} and more', { a: "b" }],
  ["[1, 2", {}],
  ['"text', {}],
  ["not JSON", {}],
  ["}", {}],
  ["[".repeat(100_000), {}],
])("%s", (text, expected) => {
  expect(readPartial(text)).toEqual(expected);
});

it("reads every beginning of every object, never shrinks, and ends with the whole", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const text = JSON.stringify(value);
      let known = 0;
      for (let length = 0; length <= text.length; length++) {
        const read = readPartial(text.slice(0, length));
        expect(Object.keys(read).length).toBeGreaterThanOrEqual(known);
        known = Object.keys(read).length;
      }
      expect(readPartial(text)).toEqual(JSON.parse(text));
    }),
    { numRuns: 100 },
  );
});
