import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { readMermaidFile } from "./mermaid-files.mjs";

test("the code of Mermaid and what it loads are given, packed and for a page without an origin", async () => {
  const file = await readMermaidFile("/mermaid/mermaid.esm.min.mjs");
  const text = gunzipSync(file?.body ?? "").toString();
  expect(file?.headers["Access-Control-Allow-Origin"]).toBe("*");
  const [, chunk = ""] = /"\.\/(chunks\/[^"]+)"/.exec(text) ?? [];
  expect(await readMermaidFile(`/mermaid/${chunk}`)).toMatchObject({ status: 200 });
});

test.each([
  "/mermaid/../package.json",
  "/mermaid/..%2fpackage.json",
  "/mermaid/chunks/mermaid.esm.min/../../mermaid.js",
  "/mermaid/mermaid.js",
  "/mermaid/chunks/mermaid.esm.min/nothing.mjs",
  "/mermaid/",
  "/",
])("no other file is: %s", async (url) => {
  expect(await readMermaidFile(url)).toBeUndefined();
});
