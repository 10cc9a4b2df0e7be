import { expect, it } from "vitest";
import { isNumeric, numberOf, readCsv, sortRows, toCsv, toTsv } from "./csv";

it("quotes what has to be quoted, and leaves no formula to a spreadsheet", () => {
  expect(
    toCsv([
      ["a", 'say "b"', "c,d"],
      ["=1+1", "-5", "-rm"],
      ["@SUM(A1)", "+81 3", "\t=x"],
    ]),
  ).toBe('\uFEFFa,"say ""b""","c,d"\r\n\'=1+1,-5,\'-rm\r\n\'@SUM(A1),\'+81 3,\'\t=x\r\n');
  expect(toTsv([["a\tb", "=x"]])).toBe("a b\t'=x");
});

it("reads numbers as people write them, and words as words", () => {
  expect(["678,100", "-3.5", "−2", "¥1,200", "12 %", "１２３", "500円"].map(numberOf)).toEqual([
    678100, -3.5, -2, 1200, 12, 123, 500,
  ]);
  expect(["", "1-2", "v1", "2026-11-17", "1,2", "n/a"].map(numberOf)).toEqual(Array(6).fill(undefined));
});

it("sorts numbers as numbers, words as the language does, and empty cells last", () => {
  const rows = [["10"], ["9"], [""], ["1,000"]];
  expect(isNumeric(rows, 0)).toBe(true);
  expect(sortRows(rows, 0, 1, "en")).toEqual([1, 0, 3, 2]);
  expect(sortRows(rows, 0, -1, "en")).toEqual([3, 0, 1, 2]);
  const words = [["うめ"], ["イチゴ"], ["あんず"]];
  expect(sortRows(words, 0, 1, "ja")).toEqual([2, 1, 0]);
});

it("reads the first rows of a file, with quotes, whatever is between its columns", () => {
  expect(readCsv('a,"b ""c""",d\r\n1,"two\nlines",3\r\n', 9)).toEqual([
    ["a", 'b "c"', "d"],
    ["1", "two\nlines", "3"],
  ]);
  expect(readCsv("a;b\n1,5;2\n3;4\n", 2)).toEqual([
    ["a", "b"],
    ["1,5", "2"],
  ]);
  expect(readCsv('a,b\n"never closed', 9)[0]).toEqual(["a", "b"]);
});
