import { expect, test } from "vitest";
import { findWords, hasWords, wordsOf } from "./find-words";

const marked = (text: string, query: string) =>
  findWords(text, wordsOf(query)).map(([from, to]) => text.slice(from, to));

test("words are found in any case and any width, in the characters of the text", () => {
  expect(marked("Why refunds and REFUND_queue?", "Refund")).toEqual(["refund", "REFUND"]);
  expect(marked("ＡＢＣ と abc", "abc")).toEqual(["ＡＢＣ", "abc"]);
  expect(marked("ﾊﾞｯﾁ処理", "バッチ")).toEqual(["ﾊﾞｯﾁ"]);
  expect(marked("二重の返金（返金）", "返金")).toEqual(["返金", "返金"]);
  expect(marked("株式㌔㌘です", "です")).toEqual(["です"]);
  expect(marked("𠮟る 🙂 ok", "ok")).toEqual(["ok"]);
});

test("what overlaps is one stretch, and all words must be there", () => {
  expect(marked("refunds", "refund fund funds")).toEqual(["refunds"]);
  expect(hasWords("Refund policy", wordsOf("pol ref"))).toBe(true);
  expect(hasWords("Refund policy", wordsOf("pol x"))).toBe(false);
});

test("a query is bounded in words and characters, and so is what is found", () => {
  expect(wordsOf(Array.from({ length: 99 }, (_, at) => `w${at}`).join(" "))).toHaveLength(16);
  expect(wordsOf("x".repeat(1_000))[0]).toHaveLength(200);
  expect(wordsOf("  　 ")).toEqual([]);
  expect(findWords("a".repeat(10_000), ["a"], 50).length).toBeLessThanOrEqual(50);
});
