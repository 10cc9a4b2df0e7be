import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { curatedServers } from "./curated";

test("they are those of the file that ships, and their programs are installed", () => {
  const { mcpServers } = JSON.parse(readFileSync("mcp-servers.json", "utf8"));
  expect(curatedServers.map(({ name }) => name)).toEqual(Object.keys(mcpServers));
  for (const { name, config } of curatedServers) {
    const { disabled: _, ...shipped } = mcpServers[name];
    expect(config).toEqual(shipped);
    expect(existsSync(config.args?.[0] ?? "")).toBe(true);
  }
});
