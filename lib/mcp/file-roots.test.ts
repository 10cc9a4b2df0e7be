import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import type { McpServerConfig } from "@/lib/protocol/mcp";
import { fileRootsOf } from "./file-roots";
import type { ManagedServer } from "./servers/managed-server";

async function start() {
  const root = await realpath(await mkdtemp(join(tmpdir(), "roots-")));
  onTestFinished(() => rm(root, { recursive: true }));
  await Promise.all(["notes", "sandbox", "code"].map((name) => mkdir(join(root, name))));
  await writeFile(join(root, "server.mjs"), "");
  const options = { root, dataDir: join(root, "data"), env: { NOTES: "notes" }, reservedEnv: [] };
  const of = (config: McpServerConfig) => fileRootsOf({ name: "one", config } as ManagedServer, options);
  return { root, of };
}

test("files are put where the entry says that the server finds some", async () => {
  const { root, of } = await start();
  const at = (...names: string[]) => names.map((name) => join(root, name));
  expect(of({ command: "x", args: ["sandbox"], roots: [`\${NOTES}`, "/srv"] })).toEqual([
    ...at("notes"),
    "/srv",
  ]);
  expect(of({ command: "node", args: ["server.mjs", "sandbox", join(root, "notes")] })).toEqual(
    at("sandbox", "notes"),
  );
  expect(of({ command: "npx", args: ["-y", "some-server"] })).toEqual(at("data/servers/one"));
});

test("the folder of a program, a project's and one elsewhere are none of these", async () => {
  const { root, of } = await start();
  const none: McpServerConfig[] = [
    { command: "node", args: ["server.mjs"] },
    { command: "node", args: ["server.mjs", "--directory", "code"] },
    { command: "uv", args: ["--directory", "code", "run", "server"] },
    { command: "node", args: ["server.mjs", "sandbox", "--verbose"] },
    { command: "npx", args: ["-y", "some-server"], cwd: "code" },
    { command: "npx", args: [`\${GONE}`] },
    { url: "https://example.com/mcp", roots: ["notes"] },
  ];
  for (const config of none) expect(of(config), JSON.stringify(config)).toEqual([]);
  expect(of({ command: "x", args: ["a\0b", join(root, "notes")] })).not.toContain(root);
});
