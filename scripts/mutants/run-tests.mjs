import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { ensureBuilt } from "../build.mjs";
import { run } from "../run.mjs";

/**
 * Runs tests in a copy of the project. `broken`: no test failed by itself, as when the fault does not compile.
 *
 * @typedef {{ outcome: "passed" | "failed" | "broken", output: string, by?: string }} Ran `by` says what a test has seen.
 */

/** @param {string} root @param {string} copy @param {string[]} tests @returns {Promise<Ran>} */
export async function runVitest(root, copy, tests) {
  const report = join(copy, "mutants-report.json");
  rmSync(report, { force: true });
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const args = [vitest, "run", "--bail=1", ...reporters, ...tests];
  const { code, output } = await run(process.execPath, args, { cwd: copy });
  if (code === 0) return { outcome: "passed", output };
  try {
    const { numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
    return { outcome: numFailedTests > 0 ? "failed" : "broken", output };
  } catch {
    return { outcome: "broken", output };
  }
}

/** Next reads nothing outside of the project, so links do not do: the packages are hard-linked, or copied where that cannot be. */
export function addPackages(root, copy) {
  const [from, to] = [join(root, "node_modules"), join(copy, "node_modules")];
  try {
    execFileSync("cp", ["-al", from, to], { stdio: "ignore" });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync("cp", ["-a", from, to]);
  }
}

/**
 * Builds the application and runs what is named by `title` in the tests of it. They fail by themselves where the check of
 * promises says that the promise `breaks` is broken, and for no other reason.
 *
 * @param {string} copy
 * @param {{ tests: string[], title?: string, breaks?: string }} what
 * @returns {Promise<Ran>}
 */
export async function runBuilt(copy, { tests, title, breaks }) {
  const distDir = ".next-faults";
  await ensureBuilt(copy, process.execPath, distDir, { faults: true });
  const playwright = join(copy, "node_modules/@playwright/test/cli.js");
  const args = [playwright, "test", "--project=http", "--retries=0", ...(title ? [`--grep=${title}`] : [])];
  const files = tests.map((test) => test.replace(/^e2e\//, ""));
  const env = { ...process.env, CI: "true", E2E_DIST_DIR: distDir };
  const { code, output } = await run(process.execPath, [...args, ...files], { cwd: copy, env });
  if (code === 0) return { outcome: "passed", output };
  const [, by] = (breaks !== undefined && new RegExp(`Error: ((${breaks}): .*)`).exec(output)) || [];
  return by ? { outcome: "failed", output, by } : { outcome: "broken", output };
}
