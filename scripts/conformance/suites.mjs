import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { run } from "../run.mjs";

const root = join(import.meta.dirname, "../..");
const newer = packageOf("@modelcontextprotocol/conformance");
const older = packageOf("conformance-0.1");
/** The suite starts all scenarios at once: on a loaded machine they take their time. */
const timeoutMs = 180_000;
/** Of a lane that is broken altogether the first failures say enough. */
const maxReplays = 10;

/**
 * All that the two versions of the protocol project's own suite ask of a client, in parts: the frozen sets of two
 * revisions, what stands in neither, and the older suite. Each scenario says whether it passed, and whether it is scored.
 */
export async function playAll(lane) {
  const parts = [];
  for (const revision of ["2025-11-25", "2026-07-28"])
    parts.push({
      version: newer.version,
      title: revision,
      scenarios: await play(
        newer,
        lane,
        ["--requirements", revision],
        ["--spec-version", revision, "--force"],
      ),
    });
  const seen = new Set(parts.flatMap(({ scenarios }) => scenarios.map(({ name }) => name)));
  const others = (await listScenarios()).filter((name) => !seen.has(name));
  const played = others.map((name) => playOnce(newer, lane, ["--scenario", name], [name]));
  parts.push({
    version: newer.version,
    title: "in neither set",
    scenarios: (await Promise.all(played)).flat(),
  });
  parts.push({
    version: older.version,
    title: "all",
    scenarios: await play(older, lane, ["--suite", "all"]),
  });
  return parts;
}

/**
 * What the revision that `/mcp` speaks asks of a server. The next one is another wire; what its clients fall back to is this one.
 */
export async function playServer(lane) {
  const revision = "2025-11-25";
  const scenarios = await play(newer, lane, ["--requirements", revision], ["--spec-version", revision]);
  return [{ version: newer.version, title: revision, scenarios }];
}

/** What fails while everything runs at once on a busy machine is played once more by itself, and that counts. */
async function play(suite, lane, what, alone = []) {
  const scenarios = await playOnce(suite, lane, what);
  for (const failed of scenarios.filter(({ passed }) => !passed).slice(0, maxReplays)) {
    const { name } = failed;
    const [again] = await playOnce(suite, lane, ["--scenario", name, ...alone], [name]);
    Object.assign(failed, { ...again, scored: failed.scored, isSecondTry: true });
  }
  return scenarios;
}

/** The suite says which scenarios it has run, unless `names` does. */
async function playOnce({ script }, { command, url, env }, what, names) {
  const out = await mkdtemp(join(tmpdir(), "meguri-conformance-out-"));
  try {
    const side = url ? ["server", "--url", url] : ["client", "--command", command];
    const args = [...side, ...what, "--timeout", String(timeoutMs), "-o", out];
    const { output } = await run(process.execPath, [script, ...args], { cwd: root, env });
    const found = names ?? [...output.matchAll(/^[✓✗] (\S+): \d+ passed/gm)].map(([, name]) => name);
    if (found.length === 0) throw new Error(`The suite has run nothing:\n${output.slice(-2_000)}`);
    const isSet = what[0] === "--requirements";
    const notScored = new Set(namesAfter(output, "Not scored for"));
    return found.map((name) => ({
      name,
      scored: isSet && !notScored.has(name),
      ...judge(out, url ? `server-${name}` : name),
    }));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

async function listScenarios() {
  const { output } = await run(process.execPath, [newer.script, "list", "--client"], { cwd: root });
  return [...output.matchAll(/^ {2}- (\S+) \[/gm)].map(([, name]) => name);
}

function namesAfter(output, heading) {
  const at = output.indexOf(heading);
  return at < 0 ? [] : [...output.slice(at).matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name);
}

/**
 * A scenario that has checked nothing prints as passed: there must be a success, and no failure. A warning does not
 * count, as in the suite's own score: one of them is for being slow. `why` is for whoever has to mend it.
 */
function judge(out, path) {
  const [parent, leaf] = path.includes("/") ? path.split("/") : ["", path];
  const folder =
    existsSync(join(out, parent)) &&
    readdirSync(join(out, parent)).find((entry) => entry.replace(/-\d{4}-\d\d-\d\dT.*$/, "") === leaf);
  const file = folder && join(out, parent, folder, "checks.json");
  if (!file || !existsSync(file)) return { passed: false, why: "no result" };
  const checks = JSON.parse(readFileSync(file, "utf8"));
  const bad = checks.filter(({ status }) => status === "FAILURE");
  const passed = bad.length === 0 && checks.some(({ status }) => status === "SUCCESS");
  if (passed) return { passed, warned: checks.some(({ status }) => status === "WARNING") };
  const said = bad.map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description}`);
  const errors = join(out, parent, folder, "stderr.txt");
  const stderr = existsSync(errors) ? readFileSync(errors, "utf8").trim().split("\n").slice(-5) : [];
  return { passed, why: [...(bad.length > 0 ? said : ["it has checked nothing"]), ...stderr].join("\n  ") };
}

function packageOf(name) {
  const folder = join(root, "node_modules", name);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  return { version, script: join(folder, "dist/index.js") };
}
