import { execFileSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";

const oldest = 15;

/**
 * The folder of PostgreSQL's programs, the newest of Debian's where there are several; undefined where there is none of
 * version 15 or newer, and an error in CI.
 * @returns {string | undefined}
 */
export function findPostgres() {
  const ofDebian = globSync("/usr/lib/postgresql/*/bin").sort((a, b) => numberIn(b) - numberIn(a));
  const found = [...ofDebian, ...(process.env.PATH ?? "").split(delimiter)].find(
    (folder) =>
      ["initdb", "postgres"].every((name) => existsSync(join(folder, name))) &&
      numberIn(execFileSync(join(folder, "postgres"), ["--version"], { encoding: "utf8" })) >= oldest,
  );
  if (!found && process.env.CI)
    throw new Error(`PostgreSQL ${oldest} or newer is not installed: install it (Debian: postgresql).`);
  return found;
}

/** @param {string} text */
const numberIn = (text) => Number(/\d+/.exec(text)?.[0] ?? 0);
