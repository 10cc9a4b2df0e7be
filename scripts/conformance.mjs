import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "./run.mjs";

/**
 * `npm run conformance`: the protocol project's own suite drives our pool through every client scenario of both wires.
 * Ends non-zero when a scenario fails that is not expected to, or passes that is. With `--write` it renews
 * docs/conformance.md.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
const node = process.execPath;
const suite = join(root, "node_modules/@modelcontextprotocol/conformance");
const client = [
  node,
  "--experimental-transform-types",
  "--disable-warning=ExperimentalWarning",
  "--import",
  join(root, "bench/resolve.mjs"),
  join(root, "lib/mcp/testing/conformance-client.ts"),
].join(" ");
const revisions = ["2025-11-25", "2026-07-28"];
/** All scenarios of a revision run at once: on a loaded machine they take their time. */
const timeoutMs = 180_000;

/** Why a scenario fails that we know of; one that passes must leave the list. */
const expected = JSON.parse(readFileSync(join(root, "lib/mcp/testing/conformance-expected.json"), "utf8"));

const results = [];
for (const revision of revisions) results.push({ revision, scenarios: await runRevision(revision) });
const faults = results.flatMap(({ revision, scenarios }) => findFaults(revision, scenarios));
for (const { revision, scenarios } of results) console.log(`MCP ${revision}: ${score(scenarios)}`);
for (const fault of faults) console.error(fault);
if (process.argv.includes("--write")) writeFileSync(join(root, "docs/conformance.md"), page(results));
process.exit(faults.length > 0 ? 1 : 0);

/** By scenario: whether it passed, and whether the revision requires it. */
async function runRevision(revision) {
  const out = await mkdtemp(join(tmpdir(), "meguri-conformance-out-"));
  try {
    const args = ["client", "--command", client, "--requirements", revision];
    const limits = ["--timeout", String(timeoutMs), "-o", out];
    const { output } = await run(node, [join(suite, "dist/index.js"), ...args, ...limits], { cwd: root });
    const notScored = new Set(namesAfter(output, "Not scored for"));
    const names = [...output.matchAll(/^[✓✗] (\S+): \d+ passed/gm)].map(([, name]) => name);
    if (names.length === 0) throw new Error(`The suite has run nothing:\n${output.slice(-2_000)}`);
    return names.map((name) => ({ name, scored: !notScored.has(name), passed: hasPassed(out, name) }));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function namesAfter(output, heading) {
  const part = output.slice(Math.max(0, output.indexOf(heading)));
  return [...part.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name);
}

/** A scenario that has checked nothing prints as passed: there must be a success, and no failure. */
function hasPassed(out, name) {
  const [parent, leaf] = name.includes("/") ? name.split("/") : ["", name];
  const folder = readdirSync(join(out, parent)).find(
    (entry) => entry.replace(/-\d{4}-\d\d-\d\dT.*$/, "") === leaf,
  );
  const file = folder && join(out, parent, folder, "checks.json");
  if (!file || !existsSync(file)) return false;
  const statuses = JSON.parse(readFileSync(file, "utf8")).map(({ status }) => status);
  return statuses.includes("SUCCESS") && !statuses.includes("FAILURE");
}

function findFaults(revision, scenarios) {
  const known = expected[revision] ?? {};
  const failing = scenarios.filter(({ passed }) => !passed).map(({ name }) => name);
  return [
    ...failing.filter((name) => !Object.hasOwn(known, name)).map((name) => `MCP ${revision}: ${name} fails.`),
    ...Object.keys(known)
      .filter((name) => !failing.includes(name))
      .map((name) => `MCP ${revision}: ${name} passes; take it off the list of expected failures.`),
  ];
}

function score(scenarios) {
  const of = (list) => `${list.filter(({ passed }) => passed).length} of ${list.length}`;
  return `${of(scenarios.filter(({ scored }) => scored))} required scenarios, ${of(scenarios)} in all`;
}

function page(results) {
  const { version } = JSON.parse(readFileSync(join(suite, "package.json"), "utf8"));
  const sections = results.map(({ revision, scenarios }) => {
    const rows = scenarios.map(({ name, scored, passed }) => {
      const why = expected[revision]?.[name];
      return `| ${name} | ${scored ? "yes" : "no"} | ${passed ? "passes" : `fails: ${why ?? "unknown"}`} |`;
    });
    return `## ${revision}: ${score(scenarios)}\n\n| scenario | required | |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
  });
  return `# Conformance\n\n\`npm run conformance\` runs the client scenarios of \`@modelcontextprotocol/conformance\` ${version}, the protocol project's own
suite, against \`lib/mcp\`: the pool as the application makes it, with a browser that consents to everything
(\`lib/mcp/testing/conformance-client.ts\`). \`npm test\` runs it too; a scenario that fails and is not on the list of
expected failures, or passes and is on it, fails the test. \`npm run conformance -- --write\` writes this page. A scenario
that has checked nothing counts as failed. For comparison, the SDK's bare client (\`@modelcontextprotocol/client\` 2.4) was measured
at 16 of 18 and 28 of 32 required scenarios.\n\n${sections.join("\n")}`;
}
