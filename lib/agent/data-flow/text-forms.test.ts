import { expect, test } from "vitest";
import { formsOf } from "./text-forms";

const words = 'A "quoted" line,\nönd ein zweiter – 二行目。 It ends here.';

test.each([
  ["as JSON", JSON.stringify(words)],
  ["as JSON in JSON", JSON.stringify(JSON.stringify({ words }))],
  [
    "as JSON in ASCII",
    words
      .replaceAll(/[^ -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`)
      .replaceAll("\\u000a", "\\n"),
  ],
  ["in a URL", `https://example.com/?q=${encodeURIComponent(words)}&x=1`],
  ["as Base64", Buffer.from(words).toString("base64")],
  ["as Base64 for URLs", Buffer.from(words).toString("base64url")],
  ["as Base64 in a path", `https://example.com/abcd/${Buffer.from(words).toString("base64url")}/x`],
  [
    "as Base64 of JSON in a URL",
    encodeURIComponent(Buffer.from(JSON.stringify({ words })).toString("base64")),
  ],
])("words are the same %s", (_, text) => {
  expect(formsOf(text).some((form) => form.includes(words))).toBe(true);
});

test("a hash, a picture and a long word are no Base64 of words", () => {
  const hash = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
  const picture = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 151) % 256)).toString("base64");
  for (const text of [hash, picture, "Donaudampfschifffahrtsgesellschaftskapitän"])
    expect(formsOf(text)).toEqual([text]);
});
