import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bareSdk, gateway, lanes } from "./conformance/lanes.mjs";
import { page } from "./conformance/page.mjs";
import { describeParts, versionsOf } from "./conformance/score.mjs";
import { playAll, playServer } from "./conformance/suites.mjs";

/**
 * `npm run conformance`: the protocol project's own suite in both of its versions, on `lib/mcp` and through the running
 * application, and what it asks of a server on `/mcp`. Ends non-zero when a scenario fails that is not expected to, or passes that is.
 *
 * `-- lib/mcp`, `-- application` or `-- gateway` plays one lane; `-- --write` renews docs/conformance.md.
 */
const root = fileURLToPath(new URL("..", import.meta.url));
/** Why a scenario fails that we know of, by version and name, and of which lane; one that passes must leave the list. */
const expected = JSON.parse(readFileSync(join(root, "lib/mcp/testing/conformance-expected.json"), "utf8"));
const asked = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const all = [...lanes, gateway];
const chosen = all.filter(({ name }) => asked.length === 0 || asked.includes(name));
if (chosen.length === 0) throw new Error(`The lanes are ${all.map(({ name }) => name).join(", ")}.`);
const results = [];
for (const lane of chosen) results.push(await playLane(lane));
const faults = results.flatMap(findFaults);
for (const { lane, parts } of results)
  for (const line of describeParts(parts, lane === gateway.name ? "server" : "client"))
    console.log(`MCP, ${lane}: ${line}`);
for (const { lane, parts } of results)
  for (const line of secondTries(parts)) console.log(`MCP, ${lane}: ${line}`);
for (const fault of faults) console.error(fault);
if (process.argv.includes("--write") && chosen.length === all.length) {
  const compared = await playLane(bareSdk);
  const [served] = results.splice(all.indexOf(gateway), 1);
  writeFileSync(join(root, "docs/conformance.md"), page(results, compared, expected, served));
}
process.exit(faults.length > 0 ? 1 : 0);

async function playLane({ name, open }) {
  const lane = await open();
  try {
    return { lane: name, parts: await (lane.url ? playServer(lane) : playAll(lane)) };
  } finally {
    await lane.close();
  }
}

/** A scenario that passes only when nothing else runs is worth a look. */
function secondTries(parts) {
  return parts.flatMap(({ scenarios }) =>
    scenarios
      .filter(({ isSecondTry, passed }) => isSecondTry && passed)
      .map(({ name }) => `${name} passed at its second try, alone`),
  );
}

function findFaults({ lane, parts }) {
  return versionsOf(parts).flatMap(([version, ofVersion]) => {
    const known = Object.entries(expected[version] ?? {})
      .filter(([, { lanes: those }]) => !those || those.includes(lane))
      .map(([name]) => name);
    const scenarios = ofVersion.flatMap((part) => part.scenarios);
    const failing = scenarios.filter(({ passed }) => !passed);
    const names = new Set(failing.map(({ name }) => name));
    const at = `MCP, ${lane}, suite ${version}:`;
    return [
      ...failing
        .filter(({ name }) => !known.includes(name))
        .map(({ name, why }) => `${at} ${name} fails.\n  ${why}`),
      ...known
        .filter((name) => !names.has(name))
        .map((name) => `${at} ${name} passes; take it off the list of expected failures.`),
    ];
  });
}
