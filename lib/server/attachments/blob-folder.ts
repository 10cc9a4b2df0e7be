import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import type { Blobs } from "@/lib/store/blob-ports";
import type { ByteFolder, FileSource } from "./byte-folder";

/** Of a part: what each reader and writer of a file holds in memory. */
const partBytes = 256 * 1024;

/** Files in the database, a part at a time: a slow sender or reader keeps nothing of it busy. */
export class BlobFolder implements ByteFolder {
  constructor(private readonly blobs: Blobs) {}

  async write(name: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
    // What is left of one that was cut short.
    await this.blobs.delete([name]);
    let size = 0;
    let part = 0;
    for await (const bytes of inParts(pieces)) {
      await this.blobs.add(name, part++, bytes);
      size += bytes.byteLength;
    }
    // One without a byte is there too.
    if (part === 0) await this.blobs.add(name, 0, new Uint8Array());
    return size;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    const part = `${name}.part`;
    await this.write(part, once(bytes));
    await this.blobs.rename(part, name);
  }

  source(name: string, size: number): FileSource {
    return { size, pieces: () => this.pieces(name) };
  }

  rename(from: string, to: string): Promise<void> {
    return this.blobs.rename(from, to);
  }

  copy(from: string, to: string): Promise<void> {
    return this.blobs.copy(from, to);
  }

  copyOut(name: string, path: string): Promise<void> {
    return pipeline(this.pieces(name), createWriteStream(path, { flags: "wx", mode: 0o600 }));
  }

  has(name: string): Promise<boolean> {
    return this.blobs.has(name);
  }

  async read(name: string): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    for await (const piece of this.pieces(name)) parts.push(piece);
    return Buffer.concat(parts);
  }

  async *pieces(name: string): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    for (let part = 0; ; part++) {
      const found = await this.blobs.read(name, part);
      // Also where it is deleted meanwhile: nobody takes the first half for the whole.
      if (!found) throw new Error(`There is no part ${part} of the file ${name} in the database.`);
      if (found.bytes.byteLength > 0) yield found.bytes;
      if (found.isLast) return;
    }
  }

  remove(names: readonly string[]): Promise<void> {
    return this.blobs.delete(names);
  }

  /** The database knows which those are, and what others may be writing. */
  sweep(): Promise<void> {
    return this.blobs.sweep();
  }

  async usage(): Promise<{ bytes: number }> {
    return { bytes: await this.blobs.bytes() };
  }
}

/** The same bytes in parts of one size, but for the last; each is there until the next is asked for. */
export async function* inParts(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const held = Buffer.allocUnsafeSlow(partBytes);
  let filled = 0;
  for await (const piece of pieces)
    for (let at = 0; at < piece.byteLength; ) {
      const taken = piece.subarray(at, at + partBytes - filled);
      held.set(taken, filled);
      at += taken.byteLength;
      filled += taken.byteLength;
      if (filled < partBytes) continue;
      yield held;
      filled = 0;
    }
  if (filled > 0) yield held.subarray(0, filled);
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield bytes;
}
