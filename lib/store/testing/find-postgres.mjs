import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The folder of PostgreSQL's programs, the newest where there are several; undefined where there is none, and an error in CI.
 * @returns {string | undefined}
 */
export function findPostgres() {
  const inPath = (process.env.PATH ?? "").split(delimiter);
  const folders = [...globSync("/usr/lib/postgresql/*/bin").sort().reverse(), ...inPath];
  const found = folders.find((folder) =>
    ["initdb", "postgres"].every((name) => existsSync(join(folder, name))),
  );
  if (!found && process.env.CI) throw new Error("PostgreSQL is not installed: its tests cannot run.");
  return found;
}
