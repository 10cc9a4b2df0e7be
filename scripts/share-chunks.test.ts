import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { shareChunks } from "./share-chunks.mjs";

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

const long = (word: string) => `module.exports=[1,()=>"${word.repeat(2_000)}"];`;

test("chunks of the same text load one of them, whatever their source maps are called", async () => {
  const { folder, load } = build({
    "a._.js": `${long("same")}\n\n//# sourceMappingURL=a._.js.map`,
    "b._.js": `${long("same")}\n\n//# sourceMappingURL=b._.js.map`,
    "ssr/c._.js": `${long("same")}\n`,
    "other.js": long("else"),
    "small.js": "module.exports=[1];",
    "ssr/small.js": "module.exports=[1];",
    "a._.js.map": "{}",
    "b._.js.map": "{}",
  });
  await shareChunks(folder, "dist");
  expect(load("a._.js")).toHaveLength(2);
  expect(load("b._.js")).toBe(load("a._.js"));
  expect(load("ssr/c._.js")).toBe(load("a._.js"));
  expect(load("other.js")).not.toBe(load("a._.js"));
  expect(load("ssr/small.js")).not.toBe(load("small.js"));
  expect(readdirSync(join(folder, "dist/server/chunks")).sort()).toEqual([
    ...["a._.js", "a._.js.map", "b._.js", "other.js", "small.js", "ssr"],
  ]);
});

test("a build whose chunks are shared already stays as it is", async () => {
  const { folder, load, read } = build({ "a.js": long("same"), "ssr/b.js": long("same") });
  await shareChunks(folder, "dist");
  const first = [read("a.js"), read("ssr/b.js")];
  await shareChunks(folder, "dist");
  expect([read("a.js"), read("ssr/b.js")]).toEqual(first);
  expect(load("ssr/b.js")).toBe(load("a.js"));
});

function build(files: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), "meguri-chunks-"));
  cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
  const chunks = join(folder, "dist", "server", "chunks");
  mkdirSync(join(chunks, "ssr"), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(chunks, name), text);
  const load = createRequire(import.meta.url);
  return {
    folder,
    load: (name: string): unknown[] => load(join(chunks, name)),
    read: (name: string) => readFileSync(join(chunks, name), "utf8"),
  };
}
