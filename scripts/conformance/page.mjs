import { mergeByName, scoreOfAll, scoreOfSet, setsOf, versionsOf } from "./score.mjs";

const intro = `# Conformance

\`npm run conformance\` runs the client scenarios of \`@modelcontextprotocol/conformance\`, the protocol project's own suite, in two
lanes. \`lib/mcp\` is the pool as the application makes it, with a browser that consents to everything
(\`lib/mcp/testing/conformance-client.ts\`). *Application* is the production build, reached through its HTTP API alone
(\`e2e/conformance/client.ts\`): each scenario's server is added and approved, a scripted model calls its tools in a real run,
questions are answered, sign-ins come back through the real callback. Optional arguments that are null are left out there.

\`npm test\` runs both. A scenario that fails and is not on the list of expected failures
(\`lib/mcp/testing/conformance-expected.json\`), or passes and is on it, fails the test. One that has checked nothing counts as
failed; one that fails while all run at once is played once more by itself. A scenario of the newer suite counts once, and passes
when it does on both wires. \`npm run conformance -- --write\` writes this page, and measures the SDK's own client beside ours:
\`@modelcontextprotocol/client\` in a script (\`lib/mcp/testing/sdk-client.ts\`) that bounds the sign-ins itself, keeps them in
memory, and switches on none of the SDK's extensions.
`;

/** docs/conformance.md: the scores of each lane with the SDK's client beside them, and every scenario by name. */
export function page(lanes, compared, expected) {
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
  return `${intro}\n${table(["", ...columns], scores)}\n${versions.join("\n")}`;
}

function section(version, lanes, known) {
  const merged = lanes.map(({ parts }) => mergeByName(parts.filter((part) => part.version === version)));
  const [first] = merged;
  const rows = first.map(({ name, requiredBy }) => [
    name,
    requiredBy.join(", "),
    ...merged.map((list) => verdict(list.find((one) => one.name === name))),
  ]);
  const reasons = Object.entries(known).map(
    ([name, { why, lanes: those }]) => `- ${name}${those ? ` (${those.join(", ")})` : ""}: ${why}.\n`,
  );
  const head = ["scenario", "required by", ...lanes.map(({ lane }) => lane)];
  return `## ${version}\n\nExpected failures of ours:\n\n${reasons.join("")}\n${table(head, rows)}`;
}

function verdict(scenario) {
  if (!scenario?.passed) return "fails";
  return scenario.warned ? "passes, with a warning" : "passes";
}

const table = (head, rows) =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
