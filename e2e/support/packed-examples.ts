import { execFile } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "..", "..");
const examples = join(root, "docs", "examples");
const helpers = ["support.ts", "tools.ts", "count-usage.ts"];
/** What a project that uses the library has itself: a tracer, a server, and the types of Node. */
const beside = ["@opentelemetry", "@modelcontextprotocol", "@types", "undici-types"];

const names = readdirSync(examples).filter(
  (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && name !== "expected.ts",
);

/** Writes a project with the examples of `docs`, which import the package that is installed in `installed`. */
export function writeExamples(installed: string, folder: string): void {
  const modules = join(folder, "node_modules");
  mkdirSync(modules);
  symlinkSync(join(installed, "node_modules", "meguri"), join(modules, "meguri"));
  for (const name of beside) symlinkSync(join(root, "node_modules", name), join(modules, name));
  for (const name of names)
    writeFileSync(join(folder, name), withPackage(readFileSync(join(examples, name), "utf8")));
  const run = names.filter((name) => !helpers.includes(name)).map((name) => name.slice(0, -3));
  writeFileSync(
    join(folder, "run.ts"),
    `const outputs: Record<string, unknown> = {};
for (const name of ${JSON.stringify(run)}) outputs[name] = (await import(\`./\${name}.ts\`)).output;
console.log(JSON.stringify(outputs));
`,
  );
  const json = (name: string, value: unknown) => writeFileSync(join(folder, name), JSON.stringify(value));
  json("package.json", { type: "module" });
  json("tsconfig.json", {
    compilerOptions: {
      ...{ target: "es2024", lib: ["es2025", "esnext", "dom"], module: "nodenext", types: ["node"] },
      ...{ strict: true, noEmit: true, allowImportingTsExtensions: true, exactOptionalPropertyTypes: true },
    },
    include: ["*.ts"],
  });
}

const withPackage = (source: string) =>
  source
    .replaceAll(/"@\/lib\/(?:agent|protocol)\/[^"]+"/g, '"meguri/agent"')
    .replaceAll(/"@\/lib\/mcp\/[^"]+"/g, '"meguri/mcp"')
    .replaceAll(/from "(\.\/[^"]+)"/g, 'from "$1.ts"');

/** What each example ends with, by its name. */
export async function runExamples(folder: string): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, ["run.ts"], { cwd: folder });
  return JSON.parse(stdout);
}

/** What the compiler says of them, and of the declarations of the package; nothing is good. */
export async function checkTypes(folder: string): Promise<string> {
  const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [tsc, "--project", folder]).catch(
    (cause: { stdout: string; stderr: string }) => cause,
  );
  return stdout + stderr;
}
