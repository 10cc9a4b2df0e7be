import { once } from "node:events";
import { open } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import { hashed } from "./format.mjs";

/** Level 1: the log is packed already, and a backup must not take the processor from answers. */
const level = 1;
/** As in `takeSnapshot`: a commit of the application waits for no more than this. */
const bytesPerSync = 4 * 1024 ** 2;

/** @typedef {(name: string, pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, compress: boolean) => Promise<{ size: number, sha256: string }>} Add */

/**
 * Writes a zip for its owner alone to a new file. `fill` is given `add(name, pieces, compress)`, which resolves to
 * `{ size, sha256 }` when the entry is read, and returns the comment of the zip.
 *
 * @param {string} path
 * @param {(add: Add) => Promise<string>} fill
 */
export async function writeZip(path, fill) {
  const zip = new ZipFile();
  const output = /** @type {Readable} */ (zip.outputStream);
  const written = pipeline(output, (pieces) => writeSynced(path, pieces));
  const failed = new Promise((_, reject) => void written.catch(reject));
  const add = async (name, pieces, compress) => {
    const counted = hashed(pieces);
    const source = Readable.from(counted, { objectMode: false });
    zip.addReadStream(source, name, { mode: 0o100600, compressionLevel: compress ? level : 0 });
    try {
      await Promise.race([once(source, "close"), failed]);
    } finally {
      source.destroy();
    }
    return counted.result();
  };
  try {
    zip.end({ comment: await fill(add), forceZip64Format: false });
  } catch (error) {
    output.destroy(error);
    await written.catch(() => {});
    throw error;
  }
  await written;
}

async function writeSynced(path, pieces) {
  const file = await open(path, "wx", 0o600);
  try {
    let unsynced = 0;
    for await (const piece of pieces) {
      await file.writeFile(piece);
      unsynced += piece.length;
      if (unsynced < bytesPerSync) continue;
      await file.datasync();
      unsynced = 0;
    }
    await file.sync();
  } finally {
    await file.close();
  }
}
