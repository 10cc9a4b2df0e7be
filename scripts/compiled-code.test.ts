import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";

/** Whether a function that a process has called so often, over some turns of the event loop, was compiled for speed. */
function isCompiledAfter(calls: number, begin: string): boolean {
  const program = `
    import { compileForSpeed } from "./scripts/compiled-code.mjs";
    import { setTimeout as sleep } from "node:timers/promises";
    ${begin};
    await sleep(1_100);
    const add = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
    for (let count = 0; count < ${calls}; count++) {
      add([count, 1, 2]);
      if (count % 10 === 0) await sleep(1);
    }
    await sleep(100);
    add([1, 2, 3]);
    // Bits of V8's own tests: compiled by Maglev, and by TurboFan.
    console.log((%GetOptimizationStatus(add) & ((1 << 5) | (1 << 6))) !== 0);
  `;
  const options = ["--allow-natives-syntax", "--input-type=module", "-e", program];
  return execFileSync(process.execPath, options, { encoding: "utf8" }).trim() === "true";
}

test("what is called again and again is compiled for speed after some hundred calls", () => {
  expect(isCompiledAfter(390, "compileForSpeed()")).toBe(true);
  expect(isCompiledAfter(390, "")).toBe(false);
});

test("the options are those of the V8 that comes with the packages, which complains of others", () => {
  const complaints = (program: string) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }).stderr;
  const load = `import { compileForSpeed } from "./scripts/compiled-code.mjs"; import v8 from "node:v8";`;
  expect(complaints(`${load} compileForSpeed(); setTimeout(() => {}, 1_100);`)).toBe("");
  expect(complaints(`${load} v8.setFlagsFromString("--no-such-count=1");`)).toContain("no-such-count");
});
