import { execFileSync } from "node:child_process";
import { constants } from "node:fs";
import { copyFile, cp, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { compileLibrary } from "./library.mjs";
import { traceFiles } from "./trace.mjs";

/** What the application reads beside its build, of what is under version control: a folder may hold what is its owner's alone. */
const ownFiles = [
  ...["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "mcp-servers.json"],
  ...["agents", "sandbox", "public", "docs/*.md", "lib/store/migrations/migrations.ts"],
  "lib/server/attachments/pdf-process.mjs",
];
/** Of a build what only a builder reads. */
const notServed =
  /^(cache|compiled|diagnostics|turbopack|types|node_modules|trace|trace-build|meguri-server\.json|meguri-build)(\/|$)|\.(map|nft\.json)$/;

/** Packages whose types those of the library name, and the packages that these name. */
const named = [
  "@modelcontextprotocol/client",
  "@modelcontextprotocol/core",
  "@opentelemetry/api",
  "eventsource",
  "undici",
  "zod",
];

/** Writes the package into an empty folder: the application, built, in `app`, with all that it runs on. */
export async function stage(root, distDir, folder) {
  const app = join(folder, "app");
  const { name, version, description, license } = JSON.parse(
    await readFile(join(root, "package.json"), "utf8"),
  );
  const own = execFileSync("git", ["ls-files", "-z", "--", ...ownFiles], { cwd: root, encoding: "utf8" })
    .split("\0")
    .filter(Boolean);
  const servers = await defaultServers(root);
  const library = await compileLibrary(root, folder);
  const traced = await traceFiles(root, distDir, {
    entries: ["scripts/cli/meguri.mjs", "lib/server/attachments/pdf-process.mjs", ...servers],
    imports: library.imports,
  });
  await copyAll(root, app, [...own, ...traced, ...(await mermaidFiles(root))]);
  // Pages of their apps, which they find by names that no trace follows.
  for (const path of servers)
    await copyTree(root, app, dirname(path), (file) => !/\.(map|d\.ts)$/.test(file));
  for (const name of named) await copyTypes(root, app, join("node_modules", name));
  await copyTree(root, app, distDir, (file) => !notServed.test(relative(distDir, file)));
  await namePackages(root, app, distDir);
  await forgetRoot(root, join(app, distDir));
  const base = { name, version, license, type: "module" };
  await writeJson(join(app, "package.json"), { ...base, private: true, config: { distDir } });
  await writeJson(join(app, "package-lock.json"), await licensesOf(root));
  await copyAll(root, folder, ["README.md", "LICENSE"]);
  await writeJson(join(folder, "package.json"), {
    ...base,
    description,
    bin: { meguri: "app/scripts/cli/meguri.mjs" },
    exports: { ...library.exports, "./package.json": "./package.json" },
    engines: { node: ">=22.13" },
    files: ["app"],
  });
}

/** The programs of the servers that the default file starts. */
async function defaultServers(root) {
  const { mcpServers } = JSON.parse(await readFile(join(root, "mcp-servers.json"), "utf8"));
  return Object.values(mcpServers).map(({ args }) => args[0]);
}

async function mermaidFiles(root) {
  const dist = "node_modules/mermaid/dist";
  const chunks = await readdir(join(root, dist, "chunks/mermaid.esm.min"));
  return [
    ...["node_modules/mermaid/LICENSE", "node_modules/mermaid/package.json", `${dist}/mermaid.esm.min.mjs`],
    ...chunks.filter((name) => name.endsWith(".mjs")).map((name) => `${dist}/chunks/mermaid.esm.min/${name}`),
  ];
}

/** Thousands of files, a few at once. */
async function copyAll(root, target, paths) {
  for (const folder of new Set(paths.map((path) => dirname(join(target, path)))))
    await mkdir(folder, { recursive: true });
  const rest = paths.values();
  const copy = async () => {
    for (const path of rest) await copyFile(join(root, path), join(target, path), constants.COPYFILE_FICLONE);
  };
  await Promise.all(Array.from({ length: 8 }, copy));
}

function copyTree(root, target, path, isKept) {
  return cp(join(root, path), join(target, path), {
    recursive: true,
    filter: (source) => isKept(relative(root, source)),
  });
}

/** The declarations of a package, without what is below its own `node_modules`. */
async function copyTypes(root, app, path) {
  const entries = await readdir(join(root, path), { recursive: true });
  const types = entries.filter((name) => /\.d\.[mc]?ts$/.test(name) && !/node_modules/.test(name));
  await copyAll(
    root,
    app,
    types.map((name) => join(path, name)),
  );
}

/**
 * A build calls the packages that it leaves outside by names with a hash, which are links in its folder. npm packs no links:
 * here it calls them by their own names.
 */
async function namePackages(root, app, distDir) {
  const links = join(root, distDir, "node_modules");
  const names = await readdir(links, { recursive: true });
  const hashed = names
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => /-[0-9a-f]{16}$/.test(name));
  const pattern = new RegExp(`(${hashed.map((name) => name.slice(0, -17)).join("|")})-[0-9a-f]{16}`, "g");
  const server = join(app, distDir, "server");
  for (const entry of await readdir(server, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !/\.(js|json)$/.test(entry.name)) continue;
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, "utf8");
    const named = text.replaceAll(pattern, "$1");
    if (named !== text) await writeFile(file, named);
  }
}

/** The settings of a build name the folder in which it was made, which is nobody's business and nowhere else. */
async function forgetRoot(root, build) {
  const place = JSON.stringify(resolve(root)).slice(1, -1);
  for (const name of ["required-server-files.json", "required-server-files.js"]) {
    const text = await readFile(join(build, name), "utf8");
    await writeFile(join(build, name), text.replaceAll(place, "/meguri"));
  }
}

/** What the page about the licenses shows. */
async function licensesOf(root) {
  const { packages } = JSON.parse(await readFile(join(root, "package-lock.json"), "utf8"));
  const kept = Object.entries(packages).filter(
    ([path, { dev, devOptional }]) => path && !dev && !devOptional,
  );
  return {
    packages: Object.fromEntries(kept.map(([path, { version, license }]) => [path, { version, license }])),
  };
}

const writeJson = (path, value) => writeFile(path, `${JSON.stringify(value, null, 2)}\n`);
