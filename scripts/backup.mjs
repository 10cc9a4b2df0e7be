// One file with everything that Meguri keeps, while it runs or not: `npm run backup -- <file>`.
import { createReadStream, existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { isPacked, listFiles } from "./backup/data-files.mjs";
import { commentOf, databases, formatVersion, manifestName, prefix } from "./backup/format.mjs";
import { readArguments, readPlaces, runCommand } from "./backup/places.mjs";
import { takeSnapshot } from "./backup/snapshot.mjs";
import { writeZip } from "./backup/write-zip.mjs";
import { commandLine } from "./command-name.mjs";
import { SetupError } from "./setup-error.mjs";

/** Writes the backup, or leaves nothing of it. */
async function backup(file, places, withSecret) {
  const work = `${file}.partial`;
  refuse(file, work, places.dataDir);
  const removeWork = () => rmSync(work, { recursive: true, force: true });
  const stop = () => {
    removeWork();
    process.exit(1);
  };
  process.once("SIGINT", stop).once("SIGTERM", stop);
  try {
    mkdirSync(work, { mode: 0o700 });
    const versions = await takeSnapshot(places.dataDir, work);
    const parts = await writeParts(join(work, "backup.zip"), work, { places, withSecret, versions });
    if (existsSync(file)) throw isThere(file);
    await rename(join(work, "backup.zip"), file);
    await syncFolder(dirname(file));
    return told(file, parts, secretOf(places, withSecret));
  } catch (error) {
    throw explain(error, file);
  } finally {
    removeWork();
  }
}

function refuse(file, work, dataDir) {
  if (existsSync(file)) throw isThere(file);
  const folder = dirname(file);
  if (!existsSync(folder)) throw new SetupError(`There is no folder ${folder}: make it, or choose another.`);
  if (existsSync(dataDir) && relative(realpathSync(dataDir), realpathSync(folder)).split(sep)[0] !== "..")
    throw new SetupError(`${file} is in DATA_DIR, which it is a backup of: choose a file elsewhere.`);
  if (lstatSync(work, { throwIfNoEntry: false }))
    throw new SetupError(
      `${work} is there: another backup is being written, or one was cut short. Wait for it, or delete the folder.`,
    );
}

const isThere = (file) =>
  new SetupError(`${file} is there already, and is not overwritten: choose another name.`);

/** The files after the databases: each one that these name was there by then, unless it is deleted meanwhile. */
function writeParts(zip, work, { places, withSecret, versions }) {
  /** @type {{ name: string, size: number, sha256: string }[]} */
  const parts = [];
  return writeZip(zip, async (add) => {
    const addPart = async (name, pieces, compress) => {
      parts.push({ name, ...(await add(`${prefix}${name}`, pieces, compress)) });
    };
    for (const { name } of databases) await addPart(name, createReadStream(join(work, name)), true);
    const skip = (path) => console.error(`Not in the backup, as it is no plain file: ${path}`);
    for await (const { name, path } of listFiles(places, { withSecret, skip })) {
      if (path.startsWith(work)) continue;
      const handle = await open(path).catch(ifThere);
      if (handle) await addPart(name, handle.createReadStream(), !isPacked(name));
    }
    tellMissing(join(work, databases[0].name), places.dataDir, parts);
    const manifest = JSON.stringify({
      ...{ meguri: "backup", version: formatVersion, app: places.app, createdAt: new Date().toISOString() },
      ...{ ...versions, secret: secretOf(places, withSecret), parts },
    });
    const { sha256 } = await add(manifestName, [Buffer.from(manifest)], true);
    return commentOf(sha256);
  }).then(() => parts);
}

const secretOf = ({ isSecretGiven }, withSecret) =>
  isSecretGiven ? "environment" : withSecret ? "included" : "left out";

/** Deleted since it was listed. */
const ifThere = (error) => {
  if (error.code !== "ENOENT") throw error;
};

/** Says which attachments had no file already: what was deleted while the backup was made is no loss. */
function tellMissing(snapshot, dataDir, parts) {
  const there = new Set(parts.map(({ name }) => name));
  const [then, now] = [snapshot, join(dataDir, databases[0].name)].map(
    (path) => new DatabaseSync(path, { readOnly: true, timeout: 5_000 }),
  );
  try {
    const isNamed = now.prepare("select 1 from attachment where id = ?");
    for (const { id, name } of then.prepare("select id, name from attachment").iterate())
      if (!there.has(`attachments/${id}`) && isNamed.get(id))
        console.error(`The file of attachment ${id} is missing in DATA_DIR: ${JSON.stringify(name)}`);
  } finally {
    then.close();
    now.close();
  }
}

async function syncFolder(path) {
  if (process.platform === "win32") return;
  const folder = await open(path);
  await folder.sync().finally(() => folder.close());
}

function told(file, parts, secret) {
  const bytes = parts.reduce((sum, { size }) => sum + size, 0);
  const about = {
    included: "It holds the secret that opens keys and sign-ins: keep it where nobody else reads it.",
    "left out":
      "Keys and sign-ins in it are sealed, and the secret (secrets.json in DATA_DIR) is not in it: keep that elsewhere, or use --with-secret.",
    environment:
      "Keys and sign-ins in it are sealed under APP_SECRET, which is not in it: keep that elsewhere.",
  };
  return `${file} is written: ${parts.length} files, ${(bytes / 1e6).toFixed(1)} MB before packing.\n${about[secret]}`;
}

function explain(error, file) {
  const reason = error.message;
  if (["ENOSPC", "EDQUOT", "EFBIG"].includes(error.code) || (error.errcode & 0xff) === 13)
    return new SetupError(
      `There is no room for ${file} (${reason}): free some space, or choose another disk. A copy of the databases is made beside it first. Nothing was kept.`,
    );
  if (typeof error.code === "string" && /^E[A-Z]+$/.test(error.code))
    return new SetupError(`${file} cannot be written (${reason}). Nothing was kept.`);
  if (error.code === "ERR_SQLITE_ERROR")
    return new SetupError(`The databases cannot be copied (${reason}). Nothing was kept.`);
  return error;
}

await runCommand(async () => {
  const { file, options } = readArguments(commandLine("backup", "<file> [--with-secret]"));
  return backup(file, await readPlaces(), options.includes("--with-secret"));
});
