import { describe, expect, it } from "vitest";
import { growth } from "@/lib/protocol/testing/growth";
import { indentJson, jsonOf, parsed, repeats } from "./read-json";

const text = (value: string) => ({ type: "text" as const, text: value });

describe("JSON in the text of a result", () => {
  it("keeps the digits of numbers that JavaScript would round", () => {
    expect(parsed('{"id":1234567890123456789,"n":-9007199254740993,"small":42,"part":0.125}')).toEqual({
      id: "1234567890123456789",
      n: "-9007199254740993",
      small: 42,
      part: 0.125,
    });
  });

  it("is text where nobody could read it as anything else", () => {
    expect(parsed("plain")).toBeUndefined();
    expect(parsed("[1,")).toBeUndefined();
    expect(parsed(`${"[".repeat(100)}${"]".repeat(100)}`)).toBeDefined();
    expect(parsed(`${"[".repeat(101)}${"]".repeat(101)}`)).toBeUndefined();
    expect(parsed(`{"brackets": "${"[".repeat(200)}"}`)).toBeDefined();
  });

  it("is a list where every part is JSON", () => {
    expect(jsonOf([text('{"a":1}')])).toEqual({ a: 1 });
    expect(jsonOf([text('{"a":1}'), text('{"a":2}')])).toEqual([{ a: 1 }, { a: 2 }]);
    expect(jsonOf([text("Found two"), text('{"a":2}')])).toBeUndefined();
    expect(jsonOf([])).toBeUndefined();
  });
});

it("looks once at quotes in a string that never ends", () => {
  expect(growth(4_000, (size) => parsed(`["${'\\"'.repeat(size)}`))).toBeLessThan(8);
});

it("knows structured content that only repeats the text", () => {
  expect(repeats({ a: 1 }, [text('{ "a": 1 }')])).toBe(true);
  expect(repeats({ result: [{ a: 1 }, { a: 2 }] }, [text('{"a":1}'), text('{"a":2}')])).toBe(true);
  expect(repeats({ result: "done" }, [text("done")])).toBe(true);
  expect(repeats({ a: 1 }, [text("One thing was found.")])).toBe(false);
  expect(repeats({ a: 1, b: 2 }, [text('{"a":1}')])).toBe(false);
});

describe("JSON on several lines", () => {
  it("looks as JSON.stringify makes it", () => {
    const value = { a: [1, { b: 'x, {y}: ["z"]' }], c: {}, d: [], e: null };
    expect(indentJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    expect(indentJson(JSON.stringify(value, null, 7))).toBe(JSON.stringify(value, null, 2));
  });

  it("leaves numbers, escapes and double names as they were sent", () => {
    expect(indentJson('{"id":1234567890123456789,"a":1.0,"a":"\\u00e9"}')).toBe(
      '{\n  "id": 1234567890123456789,\n  "a": 1.0,\n  "a": "\\u00e9"\n}',
    );
  });

  it("leaves other text alone", () => {
    expect(indentJson("a {b: [c]}")).toBe("a {b: [c]}");
    expect(indentJson("")).toBe("");
  });
});
