import { existsSync, globSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";

const { nodeFileTrace } = createRequire(import.meta.url)("next/dist/compiled/@vercel/nft");

/** What Next.js leaves out of its own `standalone` output, and what only development loads. */
const notServed = [
  "**/next/dist/compiled/next-server/**/*.dev.js",
  "**/next/dist/compiled/webpack/*",
  "**/next/dist/compiled/@babel/**",
  "**/next/dist/compiled/babel*/**",
  "**/next/dist/compiled/@mswjs/interceptors/ClientRequest/llhttp/**",
  "**/next/dist/server/lib/router-utils/setup-dev-bundler.js",
  "**/next/dist/server/lib/route-resolver*",
  "**/next/dist/lib/upgrade/**",
  "**/next/dist/pages/**",
  "**/node_modules/react{,-dom,-dom-server-turbopack}/**/*.development.js",
  "**/node_modules/typescript/**",
  // Read as text, and named in `stage.mjs`.
  "**/node_modules/mermaid/**",
  "**/*.d.ts",
  "**/*.map",
];
/** Pictures are served as they are: no page has them made smaller. */
const neverLoaded = /^node_modules\/(sharp|@img|@next\/swc-[^/]+|node-[^/]+)\//;

/**
 * The files of packages and scripts that run from these entries, imports and a build, as paths under `root`: what Next.js
 * has traced of its routes, what is traced here of everything else, and the package.json and license of each package.
 */
export async function traceFiles(root, distDir, { entries, imports }) {
  // They are looked for from where they will be: below the root.
  const importing = join(root, "node_modules", `.meguri-imports-${process.pid}.mjs`);
  writeFileSync(importing, imports.map((name) => `import "${name}";\n`).join(""));
  const { fileList } = await nodeFileTrace([...entries.map((entry) => join(root, entry)), importing], {
    base: root,
    ignore: notServed,
  }).finally(() => rmSync(importing));
  const traced = [...fileList, ...tracedRoutes(root, distDir)].filter(
    (path) => /^(node_modules\/(?!\.)|scripts\/)/.test(path) && !neverLoaded.test(path),
  );
  const files = new Set(traced.map((path) => path.replaceAll("\\", "/")));
  for (const folder of new Set([...files].flatMap(packageOf)))
    for (const name of readdirSync(join(root, folder)))
      if (name === "package.json" || /^(licen[cs]e|notice|copying)/i.test(name))
        files.add(`${folder}/${name}`);
  return [...files].sort();
}

/** @returns {string[]} */
function tracedRoutes(root, distDir) {
  return globSync("server/**/*.nft.json", { cwd: join(root, distDir) }).flatMap((name) => {
    const file = join(root, distDir, name);
    const { files } = JSON.parse(readFileSync(file, "utf8"));
    return files
      .map((path) => relative(root, join(dirname(file), path)))
      .filter((path) => existsSync(join(root, path)));
  });
}

/** The folder of the package that a file belongs to. */
function packageOf(path) {
  const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? [];
  return folder ? [folder] : [];
}
