import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openPool, root } from "./testing/test-pool";

test("the servers that ship start as the file says, and remember in the data folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mcp-default-"));
  const config = JSON.parse(await readFile(join(root, "mcp-servers.json"), "utf8"));
  const off = Object.keys(config.mcpServers).filter((name) => config.mcpServers[name].disabled);
  expect(off).toEqual(["everything", "budget-allocator", "map"]);
  for (const name of off) delete config.mcpServers[name].disabled;
  await writeFile(join(folder, "mcp.json"), JSON.stringify(config));

  const { ready, run, pool, close } = await openPool({}, { folder });
  const names = ["filesystem", "memory", "sequential-thinking", ...off];
  await Promise.all(names.map(ready));
  expect(pool.list().items.map(({ name }) => name)).toEqual(names);
  expect((await run("filesystem__read_text_file", { path: "ようこそ.md" })).result.status).toBe("ok");
  await run("memory__create_entities", {
    entities: [{ name: "狐", entityType: "animal", observations: ["red"] }],
  });
  expect(await readFile(join(folder, "memory.jsonl"), "utf8")).toContain("狐");
  await close();
});
