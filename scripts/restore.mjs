// Puts a backup into an empty DATA_DIR: `npm run restore -- <file>`.
import { createWriteStream, existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { mkdir, open, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { databases } from "./backup/format.mjs";
import { openBackup } from "./backup/open-backup.mjs";
import { readArguments, readKnownSchema, readPlaces, runCommand } from "./backup/places.mjs";
import { commandLine } from "./command-name.mjs";
import { SetupError } from "./setup-error.mjs";

/**
 * Unpacks and checks all of it in a folder of DATA_DIR, and only then puts it in place. While that folder is there no
 * Meguri starts, so that none sees a half.
 */
async function restore(file, places) {
  const { dataDir } = places;
  const found = existsSync(dataDir) ? readdirSync(dataDir).filter((name) => name !== "lost+found") : [];
  if (found.length > 0)
    throw new SetupError(
      `DATA_DIR ${dataDir} is not empty (${found[0]}): move what is in it away, or set DATA_DIR to a new folder.`,
    );
  const backup = await openBackup(file, readKnownSchema());
  const isNew = !existsSync(dataDir);
  const work = join(dataDir, "meguri.restoring");
  try {
    mkdirSync(work, { recursive: true, mode: 0o700 });
    for (const part of backup.manifest.parts) await unpack(backup.read(part), join(work, part.name));
  } catch (error) {
    rmSync(work, { recursive: true, force: true });
    if (isNew && existsSync(dataDir)) rmdirSync(dataDir);
    throw explain(error, dataDir);
  } finally {
    backup.close();
  }
  // Where this fails the folder stays, so that nobody takes what is in place for all.
  await place(work, dataDir);
  return told(backup.manifest, places);
}

async function unpack(pieces, path) {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await pipeline(pieces, createWriteStream(path, { flags: "wx", mode: 0o600, flush: true }));
}

/** The databases last: without them nothing else counts. */
async function place(work, dataDir) {
  const isDatabase = (name) => databases.some((database) => database.name === name);
  const names = readdirSync(work).sort((a, b) => Number(isDatabase(a)) - Number(isDatabase(b)));
  for (const name of names) await rename(join(work, name), join(dataDir, name));
  await sync(dataDir);
  rmdirSync(work);
  await sync(dataDir);
}

async function sync(path) {
  if (process.platform === "win32") return;
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}

function told({ parts, createdAt, secret, app }, { dataDir, mcpConfig, agentsDir, skillsDir }) {
  const names = new Set(parts.map(({ name }) => name.split("/")[0]));
  const elsewhere = [
    ["MCP_CONFIG", "mcp-servers.json", mcpConfig],
    ["AGENTS_DIR", "agents", agentsDir],
    ["SKILLS_DIR", "skills", skillsDir],
  ].filter(([, name, path]) => names.has(name) && path !== join(dataDir, name));
  return [
    `${dataDir} holds the backup of ${createdAt}, written by Meguri ${app}. What was being answered then is interrupted, and can be resumed.`,
    ...(elsewhere.length > 0
      ? [
          `Of what lay elsewhere there are copies in it. To use them start with ${elsewhere.map(([variable, name]) => `${variable}=${join(dataDir, name)}`).join(" ")}, or move them to ${elsewhere.map(([, , path]) => path).join(", ")}.`,
        ]
      : []),
    ...(secret === "included"
      ? []
      : [
          secret === "environment"
            ? "Start it with the APP_SECRET that it was written with."
            : `Put secrets.json of the former DATA_DIR into ${dataDir} before you start.`,
          "If that is lost, start once with APP_SECRET_CHANGED=accept: keys and sign-ins then have to be entered again, and shared links end.",
        ]),
  ].join("\n");
}

function explain(error, dataDir) {
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(error.code))
    return new SetupError(
      `There is no room for the backup in ${dataDir} (${error.message}): free some space on that disk. Nothing was restored.`,
    );
  if (typeof error.code === "string" && /^E[A-Z]+$/.test(error.code))
    return new SetupError(
      `The backup cannot be restored into ${dataDir} (${error.message}). Nothing was restored.`,
    );
  return error;
}

await runCommand(async () => {
  const { file } = readArguments(commandLine("restore", "<file>"));
  return restore(file, await readPlaces());
});
