import { execFileSync, spawnSync } from "node:child_process";
import { expect, test } from "vitest";

const begin = `
  import { EventEmitter } from "node:events";
  import v8 from "node:v8";
  import { setTimeout as sleep } from "node:timers/promises";
  import { compileForSpeed } from "./scripts/compiled-code.mjs";
  const server = new EventEmitter();
  compileForSpeed(server);
  const ask = (times, method = "POST") => { for (let count = 0; count < times; count++) server.emit("request", { method }); };
`;

/** Whether a function that a process has called 390 times after so many requests was compiled for speed. */
function isCompiledAfter(requests: number): boolean {
  const program = `${begin}
    ask(${requests});
    ask(500, "GET");
    const add = (numbers) => numbers.reduce((sum, number) => sum + number, 0);
    for (let count = 0; count < 390; count++) {
      add([count, 1, 2]);
      if (count % 10 === 0) await sleep(1);
    }
    // Bits of V8's own tests: compiled by Maglev, and by TurboFan.
    const isFast = () => (%GetOptimizationStatus(add) & ((1 << 5) | (1 << 6))) !== 0;
    // The compiler has threads of its own, which may have to wait for a core.
    for (let looks = 0; looks < 20 && !isFast(); looks++) await sleep(100);
    console.log(isFast());
  `;
  const options = ["--allow-natives-syntax", "--input-type=module", "-e", program];
  return execFileSync(process.execPath, options, { encoding: "utf8" }).trim() === "true";
}

test("once it has been asked 500 times, what is called often is compiled for speed sooner", () => {
  expect(isCompiledAfter(500)).toBe(true);
  expect(isCompiledAfter(499)).toBe(false);
});

test("the options are those of the V8 that comes with the packages, which complains of others", () => {
  const complaints = (program: string) =>
    spawnSync(process.execPath, ["--input-type=module", "-e", begin + program], { encoding: "utf8" }).stderr;
  expect(complaints("ask(500);")).toBe("");
  expect(complaints(`v8.setFlagsFromString("--no-such-count=1");`)).toContain("no-such-count");
});
