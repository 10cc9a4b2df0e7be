import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";
import { isBuilt, plant, readMutants } from "./mutants/read-mutants.mjs";
import { addPackages, runBuilt, runVitest } from "./mutants/run-tests.mjs";

/**
 * `npm run mutants`: plants the faults of `scripts/mutants/*.jsonl` one by one in a copy of the project and runs the
 * tests that each names. Ends non-zero when a fault survives, or when its tests could not run.
 *
 * Those of `cluster.jsonl` are built, as it takes several applications to notice them. `-- --only runs` takes the faults of
 * one file, `-- --since <commit>` those whose file, tests or own line changed since.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const { values } = parseArgs({ options: { only: { type: "string" }, since: { type: "string" } } });

const mutants = choose(readMutants(root));
if (mutants.length === 0) {
  console.log("No planted fault matches.");
  process.exit(values.since === undefined ? 1 : 0);
}

const copy = mkdtempSync(join(tmpdir(), "meguri-mutants-"));
let survived = 0;
try {
  copyProject();
  await runClean();
  for (const [index, mutant] of mutants.entries()) await tryMutant(index, mutant);
} finally {
  rmSync(copy, { recursive: true, force: true, maxRetries: 3 });
}
console.log(`\n${mutants.length - survived} passed, ${survived} failed`);
process.exit(survived === 0 ? 0 : 1);

/** A test that fails without a fault would pass for a test that catches one. */
async function runClean() {
  const [built, plain] = [mutants.filter(isBuilt), mutants.filter((mutant) => !isBuilt(mutant))];
  const [builtTests, plainTests] = [testsOf(built), testsOf(plain)];
  const count = builtTests.length + plainTests.length;
  console.log(`${mutants.length} planted faults. First their ${count} test files without any fault …`);
  const title = built.map((mutant) => mutant.title).join("|");
  for (const clean of [
    plain.length > 0 && (await runVitest(root, copy, plainTests)),
    built.length > 0 && (await runBuilt(copy, { tests: builtTests, title })),
  ])
    if (clean && clean.outcome !== "passed")
      throw new Error(`The tests fail without a fault:\n${clean.output}`);
}

function testsOf(some) {
  return [...new Set(some.flatMap((mutant) => mutant.tests))];
}

async function tryMutant(index, mutant) {
  const path = join(copy, mutant.file);
  const source = readFileSync(path, "utf8");
  writeFileSync(path, plant(source, mutant));
  const { outcome, output, by } = isBuilt(mutant)
    ? await runBuilt(copy, mutant)
    : await runVitest(root, copy, mutant.tests);
  writeFileSync(path, source);
  const words = { failed: "caught", passed: "SURVIVED", broken: "NOT RUN" }[outcome];
  console.log(`${index + 1}/${mutants.length} ${words}  ${mutant.file}: ${mutant.why}`);
  if (by) console.log(`  ${stripVTControlCharacters(by).slice(0, 200)}`);
  if (outcome === "failed") return;
  survived += 1;
  if (outcome === "broken") console.log(output.slice(-2_000));
}

function copyProject() {
  const listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0");
  const deleted = new Set(git("ls-files", "-z", "--deleted").split("\0"));
  for (const file of listed) {
    if (file !== "" && !deleted.has(file)) cpSync(join(root, file), join(copy, file), { recursive: true });
  }
  if (mutants.some(isBuilt)) addPackages(root, copy);
  else symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
}

function choose(all) {
  const named =
    values.only === undefined ? all : all.filter(({ list }) => basename(list, ".jsonl") === values.only);
  const { since } = values;
  if (since === undefined) return named;
  const changed = new Set(
    (git("diff", "--name-only", "-z", since) + git("ls-files", "-z", "--others", "--exclude-standard")).split(
      "\0",
    ),
  );
  const before = new Map();
  const linesBefore = (list) => {
    if (!before.has(list)) before.set(list, changed.has(list) ? linesAt(since, list) : undefined);
    return before.get(list);
  };
  return named.filter(
    ({ file, tests, list, line }) =>
      changed.has(file) || tests.some((test) => changed.has(test)) || linesBefore(list)?.has(line) === false,
  );
}

function linesAt(commit, path) {
  try {
    return new Set(git("show", `${commit}:${path}`).split("\n"));
  } catch {
    return new Set(); // The list is new.
  }
}

function git(...args) {
  return execFileSync("git", args, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
    stdio: ["ignore", "pipe", "ignore"],
  });
}
