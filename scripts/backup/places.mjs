import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { SetupError } from "../setup-error.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Where the application keeps what is its own: from the environment and .env files, as `scripts/serve.mjs` reads them. */
export async function readPlaces() {
  const { default: nextEnv } = await import("@next/env");
  const { combinedEnv: env } = nextEnv.loadEnvConfig(root, false, { info() {}, error: console.error });
  if (env.DATABASE_URL)
    throw new SetupError(
      "This is for the database in DATA_DIR. With DATABASE_URL set, use pg_dump and pg_restore, and copy DATA_DIR.",
    );
  const path = (name, unset) => resolve(root, env[name] || unset);
  return {
    app: String(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version),
    dataDir: path("DATA_DIR", "data"),
    mcpConfig: path("MCP_CONFIG", "mcp-servers.json"),
    agentsDir: path("AGENTS_DIR", "agents"),
    skillsDir: path("SKILLS_DIR", "skills"),
    isSecretGiven: Boolean(env.APP_SECRET),
  };
}

/** The newest versions that this Meguri knows, read from its source: this script does without TypeScript. */
export function readKnownSchema() {
  const source = readFileSync(join(root, "lib/store/migrations/migrations.ts"), "utf8");
  const newest = (area) =>
    Math.max(
      ...[...source.matchAll(/\{ version: (\d+), area: "(\w+)"/g)].flatMap(([, version, of]) =>
        of === area ? [Number(version)] : [],
      ),
    );
  return { records: newest("records"), log: newest("log") };
}

/** The file that `npm run … -- <file>` names; npm has changed the folder since it was typed. */
export function readArguments(usage) {
  const options = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
  const [file, ...more] = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
  const unknown = options.find((option) => !usage.includes(option));
  if (unknown) throw new SetupError(`${unknown} is no option: ${usage}`);
  if (!file || more.length > 0) throw new SetupError(`Name one file: ${usage}`);
  return { file: resolve(process.env.INIT_CWD ?? ".", file), options };
}

/** Prints how the work ended, and ends the process with 1 where it failed. */
export async function runCommand(work) {
  try {
    console.log(await work());
  } catch (error) {
    const isKnown = error instanceof SetupError || /^E[A-Z]+$/.test(error.code);
    console.error(isKnown ? error.message : error);
    process.exitCode = 1;
  }
}
