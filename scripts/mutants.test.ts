import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isBuilt, plant, readMutants } from "./mutants/read-mutants.mjs";

const root = join(import.meta.dirname, "..");
const mutants = readMutants(root);

test.for(mutants)("$list: $why: the fault still fits its file, and its tests exist", (mutant) => {
  const source = readFileSync(join(root, mutant.file), "utf8");
  expect(plant(source, mutant)).not.toBe(source);
  for (const path of mutant.tests) {
    expect(path).toMatch(isBuilt(mutant) ? /\.spec\.ts$/ : /\.test\.tsx?$/);
    expect(existsSync(join(root, path)), path).toBe(true);
  }
});

test("no fault is planted twice for the tests of a room, nor for those of a build", () => {
  const places = mutants.map((mutant) => {
    const { file, replace, by } = mutant;
    return JSON.stringify([file, replace, by, isBuilt(mutant)]);
  });
  expect(new Set(places).size).toBe(places.length);
});

test("a fault whose text is gone, or is there twice, is refused", () => {
  const mutant = { file: "a.ts", replace: "x", by: "y" };
  expect(plant("a x b", mutant)).toBe("a y b");
  expect(() => plant("a b", mutant)).toThrow("0 times");
  expect(() => plant("x x", mutant)).toThrow("2 times");
});
