import { expect, test } from "vitest";
import { fencesOf } from "./fences";

const codes = (text: string) => fencesOf(text).map(({ code }) => code);

test("a fence has its language, what follows it, and its lines", () => {
  expect(fencesOf('Look:\n```html title="A"\n<p>\n```\nDone.')).toEqual([
    { language: "html", info: 'title="A"', code: "<p>", isClosed: true },
  ]);
});

test("the last one may be open, and a longer fence holds shorter ones", () => {
  expect(fencesOf("````md\n```js\n1\n```\n````\n~~~\nb\n")).toEqual([
    { language: "md", info: "", code: "```js\n1\n```", isClosed: true },
    { language: "", info: "", code: "b\n", isClosed: false },
  ]);
});

test("fences of lists and quotations lose what stands before their lines, and a quotation ends its own", () => {
  expect(codes("1. one\n   ```py\n   a\n     b\n   ```\n- ```js\n  x\n  ```")).toEqual(["a\n  b", "x"]);
  expect(codes("> ```js\n> 1\n>\n> 2\n\n```py\n3\n```")).toEqual(["1\n\n2", "3"]);
});

test("a word between backticks is no fence", () => {
  expect(codes("```not a fence``` and\n``` `neither` ```\n")).toEqual([]);
});

test("200 KB in one line, or in fences without an end, take one look", () => {
  for (const text of [`\`\`\`\n${" ".repeat(200_000)}`, "```\n".repeat(50_000), ">".repeat(200_000)])
    expect(fencesOf(text).length).toBeLessThanOrEqual(25_000);
});
