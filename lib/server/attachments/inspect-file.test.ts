import { expect, test } from "vitest";
import { noisyPng, pdfOf } from "@/lib/providers/testing/files";
import { inspectFile } from "./inspect-file";
import { Slots } from "./slots";

const pdfs = new Slots({ atOnce: 1, waiting: 0 }, new Error("full"));

/** A file that lies in no folder: in pieces of 7 bytes, or broken off after `most` of them. */
function sourceOf(bytes: Uint8Array, most = Number.POSITIVE_INFINITY) {
  async function* pieces() {
    for (let at = 0; at < bytes.byteLength; at += 7) {
      if (at / 7 >= most) throw new Error("the database is gone");
      yield bytes.subarray(at, at + 7);
    }
  }
  return { size: bytes.byteLength, pieces };
}

test.each([
  ["a.pdf", pdfOf("Invoice 4711"), { mediaType: "application/pdf", text: "Invoice 4711" }],
  ["a.png", noisyPng(4), { mediaType: "image/png", text: null }],
  ["a.md", Buffer.from("日本語の文章"), { mediaType: "text/markdown", text: "日本語の文章" }],
])("%s is told by its content also where it comes in pieces", async (name, bytes, told) => {
  expect(await inspectFile(sourceOf(bytes), name, "", pdfs)).toEqual(told);
});

test.each([
  ["a.pdf", pdfOf("Invoice 4711"), 20],
  ["a.txt", Buffer.from("words ".repeat(2_000)), 1_000],
  ["a.bin", Buffer.from("words"), 0],
])("that %s cannot be read to its end is no fault of the file", async (name, bytes, most) => {
  await expect(inspectFile(sourceOf(bytes, most), name, "", pdfs)).rejects.toThrow("the database is gone");
});
