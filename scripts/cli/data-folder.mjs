import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { SetupError } from "../setup-error.mjs";

/**
 * Where programs of this platform keep what is a person's: `$XDG_DATA_HOME/meguri`, `~/Library/Application Support/Meguri` or
 * `%LOCALAPPDATA%\Meguri`.
 */
export function usualFolder(platform, env, home) {
  if (platform === "win32") return join(env.LOCALAPPDATA || join(home, "AppData", "Local"), "Meguri");
  if (platform === "darwin") return join(home, "Library", "Application Support", "Meguri");
  const data = env.XDG_DATA_HOME ?? "";
  // A relative one is to be ignored, says the specification.
  return join(isAbsolute(data) ? data : join(home, ".local", "share"), "meguri");
}

/**
 * Chooses the data folder (`--data`, `DATA_DIR`, the usual one), reads the variables of its `.env`, and has everything that a
 * person may change lie in it. Returns `{ dataDir, envFile }`; nothing is made yet.
 */
export function prepareFolder(named) {
  const dataDir = resolve(
    named || process.env.DATA_DIR || usualFolder(process.platform, process.env, homedir()),
  );
  const envFile = join(dataDir, ".env");
  if (existsSync(envFile)) readVariables(envFile);
  process.env.DATA_DIR = dataDir;
  process.env.MCP_CONFIG ||= join(dataDir, "mcp-servers.json");
  process.env.AGENTS_DIR ||= join(dataDir, "agents");
  process.env.SKILLS_DIR ||= join(dataDir, "skills");
  // Of a program that was started from a desktop PATH may name no Node, which local servers need.
  process.env.PATH = [process.env.PATH, dirname(process.execPath)].filter(Boolean).join(delimiter);
  return { dataDir, envFile };
}

function readVariables(file) {
  try {
    process.loadEnvFile(file);
  } catch (error) {
    throw new SetupError(`${file} cannot be read (${error.message}): make it readable, or remove it.`);
  }
}
