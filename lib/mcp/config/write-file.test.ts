import { mkdtemp, readdir, readFile, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFileAtomically } from "./write-file";

test("what a crash left of an earlier write goes with the next one, and nothing else does", async () => {
  const dir = await mkdtemp(join(tmpdir(), "meguri-write-"));
  const long = new Date(Date.now() - 2 * 60 * 60_000);
  const left = (file: string) => `.${file}.${crypto.randomUUID()}.tmp`;
  const [abandoned, young, ofAnother] = [left("one.yaml"), left("one.yaml"), left("two.yaml")];
  for (const name of [abandoned, young, ofAnother, ".one.yaml.notes.tmp"]) {
    await writeFile(join(dir, name), "half");
    if (name !== young) await utimes(join(dir, name), long, long);
  }
  await writeFileAtomically(join(dir, "one.yaml"), "whole");
  expect(await readFile(join(dir, "one.yaml"), "utf8")).toBe("whole");
  expect((await readdir(dir)).toSorted()).toEqual(
    [young, ofAnother, ".one.yaml.notes.tmp", "one.yaml"].toSorted(),
  );
});
