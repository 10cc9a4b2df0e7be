// A process with its own pool, to be killed: `node host.mjs <isolation> <folder> <marker>`. Prints "ready" on stdout.
import { writeFile } from "node:fs/promises";
import { registerHooks } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const root = resolve(import.meta.dirname, "../../..");
// Node runs TypeScript, but has to be told about the alias and the missing file endings.
registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier.startsWith("@/"))
      return next(`${pathToFileURL(join(root, specifier.slice(2)))}.ts`, context);
    if (/^\.\.?\//.test(specifier) && context.parentURL?.startsWith(String(pathToFileURL(join(root, "lib")))))
      return next(`${specifier}.ts`, context);
    return next(specifier, context);
  },
});

const [isolation, folder, marker] = process.argv.slice(2);
const { createMcpPool } = await import("@/lib/mcp/pool");
const entry = (way, name) => ({
  command: "node",
  args: [join(import.meta.dirname, "fixture-server.mjs"), way, name],
});
const configPath = join(folder, "mcp.json");
const mcpServers = { family: entry("grandchild", marker), silent: entry("silent", `silent-${marker}`) };
await writeFile(configPath, JSON.stringify({ mcpServers }));
const pool = createMcpPool(
  {
    ...{
      configPath,
      root,
      trustFile: true,
      env: process.env,
      reservedEnv: [],
      privateHosts: [],
      version: "0",
    },
    approvals: { all: async () => new Map(), set: async () => {}, delete: async () => {} },
    log: () => {},
  },
  { isolation: /** @type {import("../transport/process-tree").Isolation} */ (isolation) },
);
pool.onChange(() => {
  if (pool.server("family")?.status === "ready" && pool.logs("silent").length > 0) console.log("ready");
});
await pool.start();
setInterval(() => {}, 1_000);
