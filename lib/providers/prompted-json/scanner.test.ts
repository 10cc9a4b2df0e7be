import fc from "fast-check";
import { expect, test } from "vitest";
import { ResponseScanner } from "./scanner";

function scan(pieces: readonly string[]): { shown: string[]; last: string } {
  const scanner = new ResponseScanner();
  return { shown: pieces.map((piece) => scanner.add(piece)), last: scanner.end() };
}

const all = (pieces: readonly string[]) => {
  const { shown, last } = scan(pieces);
  return shown.join("") + last;
};

test("the text comes while its JSON is still open, piece by piece", () => {
  expect(scan(['{"resp', 'onse": "He', "llo\\", "n日本 \\ud83c", "\\udf8c ok", '"', "}"])).toEqual({
    shown: ["", "He", "llo", "\n日本 ", "🎌 ok", "", ""],
    last: "",
  });
});

test("whatever the text and wherever it is split, it comes out as it was meant", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary" }),
      fc.array(fc.nat(200), { maxLength: 20 }),
      fc.boolean(),
      (text, cuts, spaced) => {
        const json = JSON.stringify({ response: text }, null, spaced ? 2 : 0).replace(
          /[\u007f-\uffff]/g,
          (sign) => (spaced ? `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}` : sign),
        );
        const at = [0, ...cuts.map((cut) => cut % (json.length + 1)).sort((a, b) => a - b), json.length];
        expect(all(at.slice(1).map((end, index) => json.slice(at[index], end)))).toBe(text);
      },
    ),
    { seed: 7, numRuns: 500 },
  );
});

test.each([
  ['Sure: ```json\n{ "response" : "a" }\n```', "a"],
  ['{"response": "He said "hi", and left."}', 'He said "hi", and left.'],
  ['{"response": "two\nlines', "two\nlines"],
  ['{"response": "a", "tool_call": null}', "a"],
  ['{"response": "ends in a fence"\n```', "ends in a fence"],
  ['{response: "no quotes round the key"}', "no quotes round the key"],
  ['{"response": "\\q\\uZZ"}', "quZZ"],
  ['{"tool_call": {"name": "a", "input": {"response": "no"}}}', ""],
  ['{"response": {"a": 1}}', ""],
  ["Nothing of the kind", ""],
])("%s shows %j", (written, text) => {
  expect(all([written])).toBe(text);
  expect(all([...written])).toBe(text);
});
