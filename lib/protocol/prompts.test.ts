import { expect, test } from "vitest";
import { fillPrompt, isNamed, variablesOf } from "./prompts";

test("variables are the names in double braces, each once, in the order of the text", () => {
  expect(variablesOf("Write to {{ name }} about {{件名}}, dear {{name}}; {{due date}} {{a-b_1}}")).toEqual([
    "name",
    "件名",
    "due date",
    "a-b_1",
  ]);
});

test.each([
  "{name}",
  "{{}}",
  "{{ }}",
  "{{a.b}}",
  "{{ -a }}",
  "{{a\nb}}",
  "{{name",
  "{{name | upper}}",
  "{{#if x}}",
  `{{${"x".repeat(81)}}}`,
  "const a = { b: { c: 1 } };",
])("%j is text", (text) => {
  expect(variablesOf(text)).toEqual([]);
  expect(fillPrompt(text, new Map([["name", "x"]]))).toBe(text);
});

test("values are put in once: what they hold is neither a variable nor a pattern", () => {
  const values = new Map([
    ["a", "{{b}} $& $1 \\"],
    ["b", "two\nlines"],
    ["__proto__", "p"],
  ]);
  expect(fillPrompt("{{a}}/{{ b }}/{{c}}/{{__proto__}}", values)).toBe("{{b}} $& $1 \\/two\nlines/{{c}}/p");
  expect(fillPrompt("{{{a}}}", new Map([["a", "1"]]))).toBe("{1}");
});

test("a text of braces alone is gone through in the time of its length", () => {
  expect(variablesOf("{{".repeat(50_000))).toEqual([]);
  expect(variablesOf(`${"{{a ".repeat(25_000)}`)).toEqual([]);
  expect(variablesOf(`{{a${" ".repeat(100_000)}}}`)).toEqual([]);
});

test("a name is found by a part of it, in any case and width", () => {
  expect(isNamed("週報 Weekly", "ＷＥＥＫ")).toBe(true);
  expect(isNamed("Weekly", "daily")).toBe(false);
});
