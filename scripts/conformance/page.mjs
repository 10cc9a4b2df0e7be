import { mergeByName, scoreOfAll, scoreOfSet, setsOf, versionsOf } from "./score.mjs";

const server = `## The gateway

The same suite's server scenarios, as the revision 2025-11-25 requires them, against \`/mcp\` of the production build: a client with
plain names (see [gateway.md](gateway.md)), and behind it the tools, prompts and resources that the suite asks for
(\`lib/mcp/testing/reference-server.mjs\`). The revision of 2026-07-28 is another wire, which \`/mcp\` does not speak; its clients
fall back.
`;

const intro = `# Conformance

\`npm run conformance\` runs the client scenarios of \`@modelcontextprotocol/conformance\`, the protocol project's own suite, in two
lanes. \`lib/mcp\` is the pool as the application makes it, with a browser that consents to everything
(\`lib/mcp/testing/conformance-client.ts\`). *Application* is the production build, reached through its HTTP API alone
(\`e2e/conformance/client.ts\`): each scenario's server is added and approved, a scripted model calls its tools in a real run,
questions are answered, sign-ins come back through the real callback. Optional arguments that are null are left out there.

\`npm test\` runs both, and [the gateway](#the-gateway). A scenario that fails and is not on the list of expected failures
(\`lib/mcp/testing/conformance-expected.json\`), or passes and is on it, fails the test. One that has checked nothing counts as
failed; one that fails while all run at once is played once more by itself. A scenario of the newer suite counts once, and passes
when it does on both wires. \`npm run conformance -- --write\` writes this page, and measures the SDK's own client beside ours:
\`@modelcontextprotocol/client\` in a script (\`lib/mcp/testing/sdk-client.ts\`) that bounds the sign-ins itself, keeps them in
memory, and switches on none of the SDK's extensions.
`;

/** docs/conformance.md: the scores of each lane with the SDK's client beside them, and every scenario by name; then `served`, the gateway's. */
export function page(lanes, compared, expected, served) {
  const all = [...lanes, compared];
  const [{ parts }] = lanes;
  const columns = [
    ...setsOf(parts).map(({ title }) => `required by ${title}`),
    ...versionsOf(parts).map(([version]) => `all of ${version}`),
  ];
  const scores = all.map(({ lane, parts: own }) => [
    lane,
    ...setsOf(own).map(({ scenarios }) => scoreOfSet(scenarios)),
    ...versionsOf(own).map(([, ofVersion]) => scoreOfAll(ofVersion)),
  ]);
  const versions = versionsOf(parts).map(([version]) => section(version, all, expected[version] ?? {}));
  return `${intro}\n${table(["", ...columns], scores)}\n${versions.join("\n")}\n${ofServer(served, expected)}`;
}

function ofServer({ lane, parts }, expected) {
  const [[version, ofVersion]] = versionsOf(parts);
  const [{ title, scenarios }] = ofVersion;
  const known = knownOf([lane], expected[version] ?? {});
  const rows = mergeByName(ofVersion).map((scenario) => [
    scenario.name,
    scenario.requiredBy.join(", "),
    verdict(scenario),
  ]);
  const score = `${scoreOfSet(scenarios)} that ${title} requires pass.`;
  return `${server}\n${score}\n\nExpected failures of ours:\n\n${known}\n${table(["scenario", "required by", lane], rows)}`;
}

function section(version, lanes, known) {
  const merged = lanes.map(({ parts }) => mergeByName(parts.filter((part) => part.version === version)));
  const [first] = merged;
  const rows = first.map(({ name, requiredBy }) => [
    name,
    requiredBy.join(", "),
    ...merged.map((list) => verdict(list.find((one) => one.name === name))),
  ]);
  const names = lanes.map(({ lane }) => lane);
  const head = ["scenario", "required by", ...names];
  return `## ${version}\n\nExpected failures of ours:\n\n${knownOf(names, known)}\n${table(head, rows)}`;
}

/** Why scenarios fail in these lanes, a line each. */
function knownOf(lanes, known) {
  return Object.entries(known)
    .filter(([, { lanes: those }]) => !those || those.some((lane) => lanes.includes(lane)))
    .map(([name, { why, lanes: those }]) => `- ${name}${those ? ` (${those.join(", ")})` : ""}: ${why}.\n`)
    .join("");
}

function verdict(scenario) {
  if (!scenario?.passed) return "fails";
  return scenario.warned ? "passes, with a warning" : "passes";
}

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
