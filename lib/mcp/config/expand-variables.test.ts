import { expect, test } from "vitest";
import { expandVariables, isReference, replaceOtherwise } from "./expand-variables";

const variables = {
  env: { HOME: "/home/me", EMPTY: "", OURS: "no" },
  reserved: ["OURS"],
  root: "/project",
  dataDir: "/project/data",
  secret: (name: string) => (name === "API_KEY" ? "sk-1" : undefined),
};
const expand = (text: string) => expandVariables(text, "env.A", variables);

test.each([
  [`\${HOME}/x`, "/home/me/x"],
  [`\${env:HOME}`, "/home/me"],
  [`\${EMPTY:-a b}`, "a b"],
  [`\${NOWHERE:-}`, ""],
  [`\${NOWHERE:-$5 {or} so}`, "$5 {or so}"],
  [`\${workspaceFolder} \${dataFolder}`, "/project /project/data"],
  [`Bearer \${secret:API_KEY}`, "Bearer sk-1"],
  [`\${ \${HOME} $\{`, `\${ /home/me $\{`],
])("%j becomes %j", (text, expanded) => {
  expect(expand(text)).toBe(expanded);
});

test.each([
  [`\${NOWHERE}`, "NOWHERE, which is not set"],
  [`\${OURS}`, "belongs to this application"],
  [`\${secret:OTHER}`, "OTHER, which is not stored"],
  [`\${input:key}`, 'the input "key"'],
])("%j is refused by its field", (text, reason) => {
  expect(() => expand(text)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(reason), path: "env.A" }),
  );
});

// Backtracking would take hours, not just longer than a test may.
test.each([
  ["", "${"],
  ["", "${secret:"],
  ["", "${input:$"],
  ["", "${A:-"],
  ["", "${A:-$"],
  ["${secret:", ":-"],
  ["${A:-", ":-"],
])("a text of %j and very many %j is read in no time", (start, piece) => {
  const text = start + piece.repeat(1_000_000 / piece.length);
  expect(expand(text)).toBe(text);
  expect(isReference(text)).toBe(false);
  expect(replaceOtherwise(text, "•")).toBe(text);
});
