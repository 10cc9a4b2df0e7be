import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { ensureBuilt } from "./build.mjs";
import { run } from "./run.mjs";
import { SetupError } from "./setup-error.mjs";

/**
 * `npm test`: everything that must hold, quickest first; stops at the first stage that fails.
 *
 * Ends with the closing lines that each runner wrote itself (`closing` picks them out of its output).
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name, path) => [process.execPath, join(root, "node_modules", name, path)];
const next = bin("next", "dist/bin/next");

/**
 * @typedef {{ title: string, commands: string[][], prepare?: () => Promise<void>, closing?: RegExp }} Stage
 * `commands` run one after the other; `closing` picks the runner's own closing lines out of their output.
 */

const playwright = (project) => [...bin("@playwright/test", "cli.js"), "test", "--project", project];
/** With the name of each test that needed a second try, below "1 flaky". */
const playwrightCloses = /^\s*(\d+ (passed|failed|flaky|skipped|interrupted|did not run)|\[\w+\] › )/;

/** @type {Stage[]} */
const stages = [
  {
    title: "format, lint and rooms (biome)",
    commands: [[...bin("@biomejs/biome", "bin/biome"), "check", "--error-on-warnings", "."]],
    closing: /^Checked \d+ files/,
  },
  {
    title: "promises and unions (oxlint, by types)",
    commands: [[...bin("oxlint", "bin/oxlint"), "--type-aware", "--deny-warnings"]],
    closing: /^Found \d+ warnings/,
  },
  {
    title: "types (tsc)",
    commands: [
      [...next, "typegen"],
      [...bin("typescript", "bin/tsc"), "--noEmit"],
      [...bin("typescript", "bin/tsc"), "--project", "tsconfig.mjs.json", "--incremental", "false"],
    ],
  },
  {
    title: "dead code (knip)",
    commands: [
      bin("knip", "bin/knip.js"),
      [...bin("knip", "bin/knip.js"), "--production", "--exclude", "dependencies"],
    ],
  },
  {
    title: "unit and integration tests (vitest)",
    commands: [[...bin("vitest", "vitest.mjs"), "run"]],
    closing: /^\s*(Test Files|Tests|Type Errors|Errors|Duration)\s/,
  },
  {
    title: "MCP conformance (the protocol's own suite)",
    prepare: () => ensureBuilt(root, process.execPath, ".next-test"),
    commands: [[process.execPath, join(root, "scripts/conformance.mjs")]],
    closing: /^MCP, /,
  },
  {
    title: "end-to-end tests over HTTP (playwright)",
    prepare: () => ensureBuilt(root, process.execPath, ".next-test"),
    commands: [playwright("http")],
    closing: playwrightCloses,
  },
  {
    title: "end-to-end tests in a browser (playwright)",
    prepare: prepareBrowserTests,
    commands: [playwright("desktop")],
    closing: playwrightCloses,
  },
];

process.chdir(root);
process.env.NEXT_TELEMETRY_DISABLED = "1";
if (process.stdout.isTTY) process.env.FORCE_COLOR ??= "1";

const summary = [];
for (const stage of stages) {
  const { code, output } = await runStage(stage);
  summary.push(...closingLines(stage, code, output));
  if (code === 0) continue;
  console.log(`\n${summary.join("\n")}\n\nFailed: ${stage.title}`);
  process.exit(1);
}
const isSecondTry = (line) => /^\s*\d+ flaky|at its second try/.test(line);
const verdict = summary.some(isSecondTry)
  ? "Everything passed, but not everything at its first try: see flaky and second try above."
  : "Everything passed.";
console.log(`\n${summary.join("\n")}\n\n${verdict}`);

/** @param {Stage} stage */
async function runStage({ title, prepare, commands }) {
  console.log(`\n── ${title}`);
  let output = "";
  try {
    await prepare?.();
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    console.error(error.message);
    return { code: 1, output };
  }
  for (const [command, ...args] of commands) {
    const result = await run(command, args, { cwd: root, show: true });
    output += result.output;
    if (result.code !== 0) return { code: result.code, output };
  }
  return { code: 0, output };
}

/** @param {Stage} stage */
function closingLines({ title, closing }, code, output) {
  const lines = stripVTControlCharacters(output).split("\n");
  const found = closing === undefined ? [] : lines.filter((line) => closing.test(line));
  return [`── ${title}: ${code === 0 ? "passed" : `failed with code ${code}`}`, ...found];
}

/** Tests build into a folder of their own: a rebuild never pulls the files from under a running `npm start`. */
async function prepareBrowserTests() {
  await ensureBuilt(root, process.execPath, ".next-test");
  if (["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].some(existsSync)) return;
  const { chromium } = await import(
    pathToFileURL(join(root, "node_modules/@playwright/test/index.mjs")).href
  );
  if (existsSync(chromium.executablePath())) return;
  const [command, cli] = bin("@playwright/test", "cli.js");
  const { code } = await run(command, [cli, "install", "chromium"], { cwd: root, show: true });
  if (code !== 0) {
    throw new SetupError(
      "There is no Chromium for the tests: install it as /usr/bin/chromium and run npm test again.",
    );
  }
}
