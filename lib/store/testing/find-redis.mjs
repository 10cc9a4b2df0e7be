import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The program `redis-server`; undefined where there is none, and an error in CI.
 * @returns {string | undefined}
 */
export function findRedis() {
  const found = (process.env.PATH ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "redis-server"))
    .find((path) => existsSync(path));
  if (!found && process.env.CI) throw new Error("Redis is not installed: install it (Debian: redis-server).");
  return found;
}
