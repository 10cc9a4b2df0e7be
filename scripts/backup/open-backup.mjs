import yauzl from "yauzl";
import { commandLine } from "../command-name.mjs";
import { SetupError } from "../setup-error.mjs";
import {
  commentOf,
  databases,
  formatVersion,
  hashed,
  isSafeName,
  Manifest,
  manifestName,
  prefix,
} from "./format.mjs";

const maxManifestBytes = 256 * 1024 ** 2;

/**
 * Opens a backup and checks all that can be known before it is unpacked: that its end is there, that its list is what was
 * written, that it holds exactly the files of its list, under names that stay in their folder, and that this Meguri
 * knows its version. `read(part)` gives the bytes of a part, and throws where they are not those of the list.
 */
export async function openBackup(file, known) {
  const zip = await yauzl.openPromise(file, { autoClose: false, lazyEntries: true }).catch((error) => {
    if (error.code) throw new SetupError(`${file} cannot be read (${error.message}).`);
    throw new SetupError(`${file} is no backup, or was cut short: its end is missing. Take another one.`);
  });
  try {
    const entries = await listEntries(zip, file);
    const manifest = await readManifest(zip, entries, file);
    checkVersions(manifest, known, file);
    checkParts(manifest, entries, file);
    const read = (part) => readPart(zip, entries.get(`${prefix}${part.name}`), part, file);
    return { manifest, read, close: () => zip.close() };
  } catch (error) {
    zip.close();
    throw error instanceof SetupError ? error : damaged(file, error.message);
  }
}

async function listEntries(zip, file) {
  /** @type {Map<string, yauzl.Entry>} */
  const entries = new Map();
  for await (const entry of zip.eachEntry()) {
    if (entries.has(entry.fileName)) throw damaged(file, `it holds ${entry.fileName} twice`);
    entries.set(entry.fileName, entry);
  }
  return entries;
}

async function readManifest(zip, entries, file) {
  const entry = entries.get(manifestName);
  const hash = /^meguri backup ([0-9a-f]{64})$/.exec(zip.comment)?.[1];
  if (!entry || !hash)
    throw new SetupError(
      `${file} is no backup of Meguri: choose a file that ${commandLine("backup")} has written.`,
    );
  if (entry.uncompressedSize > maxManifestBytes) throw damaged(file, "its list is too long");
  const pieces = [];
  const counted = hashed(await zip.openReadStreamPromise(entry));
  for await (const piece of counted) pieces.push(piece);
  if (commentOf(counted.result().sha256) !== zip.comment) throw damaged(file, "its list has changed");
  const { data, error } = Manifest.safeParse(JSON.parse(Buffer.concat(pieces).toString("utf8")));
  if (!data) throw damaged(file, `its list cannot be read: ${error.issues[0].path.join(".")}`);
  return data;
}

function checkVersions({ version, schema, compatibleFrom = schema, app }, known, file) {
  // Of one file its newest migration says nothing about the other one's.
  const program = Math.max(known.records, known.log);
  const isNewer = ({ area }) => schema[area] > known[area] && compatibleFrom[area] > program;
  if (version > formatVersion || databases.some(isNewer))
    throw new SetupError(
      `${file} was written by a newer Meguri (${app}, schema ${schema.records} and ${schema.log}; this one knows ${known.records} and ${known.log}): restore it with that version.`,
    );
}

function checkParts({ parts }, entries, file) {
  for (const { name, size } of parts) {
    if (!isSafeName(name)) throw damaged(file, `the name ${JSON.stringify(name)} leads out of its folder`);
    if (entries.get(`${prefix}${name}`)?.uncompressedSize !== size)
      throw damaged(file, `${name} is missing or cut`);
  }
  const names = new Set(parts.map(({ name }) => name));
  if (names.size !== parts.length || entries.size !== parts.length + 1)
    throw damaged(file, "it holds files that its list does not name");
  for (const { name } of databases) if (!names.has(name)) throw damaged(file, `${name} is missing`);
}

async function* readPart(zip, entry, { name, size, sha256 }, file) {
  const counted = hashed(await zip.openReadStreamPromise(entry));
  try {
    yield* counted;
  } catch (error) {
    throw damaged(file, `${name}: ${error.message}`);
  }
  const result = counted.result();
  if (result.size !== size || result.sha256 !== sha256) throw damaged(file, `${name} has changed`);
}

const damaged = (file, what) =>
  new SetupError(`${file} is damaged (${what}): take another backup. Nothing was restored.`);
