import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { rolldown } from "rolldown";
import { run } from "../run.mjs";
import { SetupError } from "../setup-error.mjs";

const entries = ["agent", "mcp"];

/**
 * Compiles `meguri/agent` and `meguri/mcp` into `lib` of the application's folder: JavaScript that shares its modules, so that
 * classes are one, and the types beside it. Returns the `exports` of the package, and the names by which it imports others.
 */
export async function compileLibrary(root, folder) {
  const target = join(folder, "app", "lib", "library");
  const imports = await bundle(root, target);
  await declare(root, join(target, "types"));
  const exportsOf = (name) => ({
    types: `./app/lib/library/types/scripts/pack/${name}.d.ts`,
    default: `./app/lib/library/${name}.js`,
  });
  return { exports: Object.fromEntries(entries.map((name) => [`./${name}`, exportsOf(name)])), imports };
}

async function bundle(root, target) {
  const build = await rolldown({
    input: Object.fromEntries(entries.map((name) => [name, join(root, "scripts/pack", `${name}.ts`)])),
    platform: "node",
    resolve: { alias: { "@": root } },
    // They are in node_modules of the application.
    external: /^(?!@\/|\.|\/)/,
    transform: { define: { "process.env.MEGURI_FAULTS": '""' } },
  });
  const { output } = await build.write({
    dir: target,
    format: "esm",
    entryFileNames: "[name].js",
    chunkFileNames: "shared-[hash].js",
  });
  await build.close();
  const imported = output.flatMap((part) =>
    part.type === "chunk" ? [...part.imports, ...part.dynamicImports] : [],
  );
  const own = new Set(output.map(({ fileName }) => fileName));
  return [...new Set(imported)].filter((name) => !name.startsWith("node:") && !own.has(name));
}

/** The types of each module, which name each other by relative paths with an ending, as Node's own resolution wants. */
async function declare(root, target) {
  const work = await mkdtemp(join(root, "node_modules", ".meguri-types-"));
  try {
    const config = {
      extends: join(root, "tsconfig.base.json"),
      compilerOptions: {
        ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, incremental: false },
        ...{ rootDir: root, outDir: target, paths: { "@/*": [`${root}/*`] }, plugins: [] },
        typeRoots: [join(root, "node_modules/@types")],
      },
      files: entries.map((name) => join(root, "scripts/pack", `${name}.ts`)),
    };
    await writeFile(join(work, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(root, "node_modules/typescript/bin/tsc");
    const { code, output } = await run(process.execPath, [tsc, "--project", work], { cwd: root });
    if (code !== 0)
      throw new SetupError(`${output.trim()}\n\nThe types of the library could not be written.`);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  for (const name of await readdir(target, { recursive: true }))
    if (name.endsWith(".d.ts")) await writeFile(join(target, name), await relativeNames(target, name));
}

async function relativeNames(target, name) {
  const text = await readFile(join(target, name), "utf8");
  return text.replaceAll(/(from |import\()"(@\/|\.\/)([^"]+)"/g, (_, before, prefix, path) => {
    const named = prefix === "@/" ? relative(dirname(name), path).replaceAll("\\", "/") : path;
    return `${before}"${named.startsWith(".") ? named : `./${named}`}.js"`;
  });
}
