import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { run } from "./run.mjs";
import { SetupError } from "./setup-error.mjs";
import { playParts } from "./stages.mjs";

/**
 * `npm test`: everything that must hold, quickest first; stops at the first stage that fails.
 *
 * Ends with the closing lines that each runner wrote itself (`closing` picks them out of its output).
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const bin = (name, path) => [process.execPath, join(root, "node_modules", name, path)];
const next = bin("next", "dist/bin/next");

const playwright = (project) => [...bin("@playwright/test", "cli.js"), "test", "--project", project];
/** With the name of each test that needed a second try, below "1 flaky". */
const playwrightCloses = /^\s*(\d+ (passed|failed|flaky|skipped|interrupted|did not run)|\[\w+\] › )/;

/** @type {import("./stages.mjs").Stage[]} */
const readings = [
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
];

/** @type {import("./stages.mjs").Stage} */
const unit = {
  title: "unit and integration tests (vitest)",
  name: "vitest",
  commands: [[...bin("vitest", "vitest.mjs"), "run"]],
  closing: /^\s*(Test Files|Tests|Type Errors|Errors|Duration)\s/,
};

/** Into folders of their own: a rebuild never pulls the files from under a running `npm start`. */
const build = {
  title: "a build to test, and one with fault points (next)",
  name: "build",
  commands: [
    [process.execPath, join(root, "scripts/build.mjs"), ".next-test"],
    [process.execPath, join(root, "scripts/build.mjs"), ".next-faults", "faults"],
  ],
};

const http = {
  title: "end-to-end tests over HTTP (playwright)",
  name: "http",
  commands: [playwright("http")],
  closing: playwrightCloses,
};

/** Starts dozens of processes in one moment, and fails beside anything else. */
const conformance = {
  title: "MCP conformance (the protocol's own suite)",
  commands: [[process.execPath, join(root, "scripts/conformance.mjs")]],
  closing: /^MCP, /,
};

const browser = {
  title: "end-to-end tests in a browser (playwright)",
  prepare: findChromium,
  commands: [playwright("desktop")],
  closing: playwrightCloses,
};

process.chdir(root);
process.env.NEXT_TELEMETRY_DISABLED = "1";
// Hundreds of processes load the same files: from here each compiles only what is new to it.
process.env.NODE_COMPILE_CACHE ??= join(root, "node_modules/.cache/compiled");
if (process.stdout.isTTY) process.env.FORCE_COLOR ??= "1";

// Both of the lanes wait, for servers and for words of a model, more than they compute.
const { failed, summary } = await playParts(
  [[readings], [[unit], [build, http]], [[conformance]], [[browser]]],
  root,
);
if (failed.length > 0) {
  console.log(`\n${summary.join("\n")}\n\nFailed: ${failed.join(", ")}`);
  process.exit(1);
}
const isSecondTry = (line) => /^\s*\d+ flaky|at its second try/.test(line);
const verdict = summary.some(isSecondTry)
  ? "Everything passed, but not everything at its first try: see flaky and second try above."
  : "Everything passed.";
console.log(`\n${summary.join("\n")}\n\n${verdict}`);

async function findChromium() {
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
