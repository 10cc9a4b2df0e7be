import { expect, test } from "vitest";
import { maskConfig, maskUrl, restoreMasked } from "./mask-config";

test.each([
  ["https://x.com/mcp?key=abcdefgh12345678&page=2", "https://x.com/mcp?key=••••5678&page=2"],
  [`https://x.com/mcp?key=\${KEY}`, `https://x.com/mcp?key=\${KEY}`],
  [`https://x.com/mcp?key=\${KEY:-sk-live}`, `https://x.com/mcp?key=\${KEY:-••••}`],
  [`https://x.com/mcp?key=\${KEY:-sk-live}&token=hunter2`, `https://x.com/mcp?key=\${KEY:-••••}&token=••••`],
  [`\${BASE:-https://x/mcp?key=sk-live}`, `\${BASE:-••••}`],
  ["https://me:hunter2@x.com/mcp", "https://me:••••@x.com/mcp"],
  [`http://x.com/a:-b}?page=\${PAGE:-2}`, `http://x.com/a:-b}?page=\${PAGE:-2}`],
])("the address %j is shown as %j", (url, shown) => {
  expect(maskUrl(url)).toBe(shown);
  expect(restoreMasked({ url: shown }, { url })).toEqual({ url });
});

test("what a reference falls back on is masked, and comes back", () => {
  const config = { command: "x", env: { A: `\${A:-hunter2} \${B}`, B: `Bearer \${B:-hunter2}` } };
  const shown = maskConfig(config);
  expect(JSON.stringify(shown)).not.toContain("hunter2");
  expect(restoreMasked(shown, config)).toEqual(config);
});
